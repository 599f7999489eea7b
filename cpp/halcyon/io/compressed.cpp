#include "halcyon/io/compressed.hpp"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/checksum.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace halcyon::io {
namespace {

constexpr std::size_t kBatchBytes = 64 << 20;  // of values that are copied at a time
constexpr std::size_t kMaxChunk = 1 << 20;     // largest size of a chunk along a dimension

void check(int status, const std::string& path) {
  require<RunError>(status == NC_NOERR, "{}: the netCDF library failed: {}.", path, nc_strerror(status));
}

/// A netCDF file of one process, closed by the destructor.
class File {
 public:
  File(const std::string& path, bool is_new) : path_(path) {
    check(is_new ? nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id)
                 : nc_open(path.c_str(), NC_NOWRITE, &id),
          path);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (id >= 0) nc_close(id);
  }
  void close() { check(nc_close(std::exchange(id, -1)), path_); }
  int id = -1;

 private:
  std::string path_;
};

/// Copies the attributes of a variable, or of the file (NC_GLOBAL).
void copy_attributes(const File& from, int from_id, const File& to, int to_id, const std::string& path) {
  int n = 0;
  check(from_id == NC_GLOBAL ? nc_inq_natts(from.id, &n) : nc_inq_varnatts(from.id, from_id, &n), path);
  for (int i = 0; i < n; ++i) {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_attname(from.id, from_id, i, name.data()), path);
    check(nc_copy_att(from.id, from_id, name.data(), to.id, to_id), path);
  }
}

/// Defines a variable, compressed if it has dimensions. @param dimensions ids of the schema's dimensions
int define(const Schema& schema, const Variable& variable, const std::vector<int>& dimensions, const File& to,
           int level, const std::string& path) {
  std::vector<int> ids;
  std::vector<std::size_t> chunk;
  for (const int d : variable.dimensions) {
    ids.push_back(dimensions[d]);
    const auto size = static_cast<std::size_t>(schema.dimensions[d].size);
    chunk.push_back(std::clamp<std::size_t>(size, 1, kMaxChunk));
  }
  int id = 0;
  check(nc_def_var(to.id, variable.name.c_str(), netcdf_type(variable.type), static_cast<int>(ids.size()),
                   ids.data(), &id),
        path);
  if (ids.empty()) return id;
  check(nc_def_var_chunking(to.id, id, NC_CHUNKED, chunk.data()), path);
  check(nc_def_var_deflate(to.id, id, /*shuffle=*/1, /*deflate=*/1, level), path);
  check(nc_def_var_fletcher32(to.id, id, NC_FLETCHER32), path);
  return id;
}

/// Copies the values of a variable, or of one of its records, in batches of at most kBatchBytes. A row is all
/// values for one index of the first dimension (after the record dimension).
void copy_rows(const Schema& schema, const Variable& variable, std::size_t record, const File& from,
               int from_id, const File& to, int to_id, const std::string& path) {
  const auto shape = schema.shape(variable);
  const std::size_t n_record_dimensions = schema.is_record_variable(variable) ? 1 : 0;
  const auto rows = shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
  const auto row_bytes = static_cast<std::size_t>(schema.count(variable) * bytes_of(variable.type)) / rows;
  const auto max_rows = std::max<std::size_t>(1, kBatchBytes / row_bytes);
  std::vector<std::size_t> start(shape.size() + n_record_dimensions + 1, 0),
      count(shape.begin(), shape.end());
  if (n_record_dimensions == 1) {
    start[0] = record;
    count.insert(count.begin(), 1);
  }
  std::vector<std::byte> values(std::min(max_rows, rows) * row_bytes);
  for (std::size_t row = 0; row < rows; row += max_rows) {
    if (!shape.empty()) {
      start[n_record_dimensions] = row;
      count[n_record_dimensions] = std::min(max_rows, rows - row);
    }
    check(nc_get_vara(from.id, from_id, start.data(), count.data(), values.data()), path);
    check(nc_put_vara(to.id, to_id, start.data(), count.data(), values.data()), path);
  }
}

void copy_file(const Schema& schema, const std::string& classic, const std::string& path, int level) {
  const File from(classic, /*is_new=*/false);
  File to(path, /*is_new=*/true);
  std::vector<int> dimensions, variables;
  for (const auto& dimension : schema.dimensions)
    check(nc_def_dim(to.id, dimension.name.c_str(), dimension.size == 0 ? NC_UNLIMITED : dimension.size,
                     &dimensions.emplace_back()),
          path);
  copy_attributes(from, NC_GLOBAL, to, NC_GLOBAL, path);
  std::size_t n_records = 0;
  for (const auto& variable : schema.variables) {
    variables.push_back(define(schema, variable, dimensions, to, level, path));
    const int from_id = static_cast<int>(variables.size()) - 1;
    copy_attributes(from, from_id, to, variables.back(), path);
    if (schema.is_record_variable(variable))
      check(nc_inq_dimlen(from.id, variable.dimensions[0], &n_records), path);
  }
  check(nc_enddef(to.id), path);
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const auto& variable = schema.variables[v];
    for (std::size_t record = 0; record < (schema.is_record_variable(variable) ? n_records : 1); ++record)
      copy_rows(schema, variable, record, from, static_cast<int>(v), to, variables[v], path);
  }
  to.close();
}

/// Returns the lengths of a variable's dimensions, with `n_records` for the record dimension.
std::vector<std::size_t> shape_of(const File& file, int variable, int record_dimension,
                                  std::uint64_t n_records, const std::string& path) {
  int n = 0;
  check(nc_inq_varndims(file.id, variable, &n), path);
  std::vector<int> ids(n);
  check(nc_inq_vardimid(file.id, variable, ids.data()), path);
  std::vector<std::size_t> shape(n);
  for (int d = 0; d < n; ++d) {
    check(nc_inq_dimlen(file.id, ids[d], &shape[d]), path);
    if (ids[d] == record_dimension) shape[d] = static_cast<std::size_t>(n_records);
  }
  return shape;
}

std::uint64_t checksum_of(const File& file, int variable, int record_dimension, std::uint64_t n_records,
                          const std::string& path) {
  auto count = shape_of(file, variable, record_dimension, n_records, path);
  nc_type type = NC_INT;
  check(nc_inq_vartype(file.id, variable, &type), path);
  const std::size_t rows = count.empty() ? 1 : count[0];
  std::size_t width = 1;
  for (std::size_t d = 1; d < count.size(); ++d) width *= count[d];
  std::vector<std::size_t> start(count.size() + 1, 0);  // not empty even for a scalar
  std::vector<std::uint32_t> words(2 * width);          // space for 64-bit numbers
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!count.empty()) {
      start[0] = row;
      count[0] = 1;
    }
    check(nc_get_vara(file.id, variable, start.data(), count.data(), words.data()), path);
    if (type == NC_INT || type == NC_FLOAT) {
      sum += checksum<std::uint32_t>(std::span(words.data(), width), row * width);
    } else {
      std::vector<std::uint64_t> wide(width);
      std::memcpy(wide.data(), words.data(), 8 * width);
      sum += checksum<std::uint64_t>(wide, row * width);
    }
  }
  return sum;
}

}  // namespace

void write_compressed(const std::string& classic, const std::string& path, const Schema& schema, int level) {
  require_space(path, std::filesystem::file_size(classic));
  copy_file(schema, classic, path, level);
  mesh::write_checksums(path);
}

CompressedChecksums compressed_checksums(const std::string& path, std::uint64_t n_records) {
  const File file(path, /*is_new=*/false);
  int n = 0, record_dimension = -1;
  std::size_t n_in_file = 0;
  check(nc_inq_nvars(file.id, &n), path);
  check(nc_inq_unlimdim(file.id, &record_dimension), path);
  if (record_dimension >= 0) check(nc_inq_dimlen(file.id, record_dimension, &n_in_file), path);
  std::vector<std::uint64_t> sums;
  if (n_in_file >= n_records)
    for (int v = 0; v < n; ++v) sums.push_back(checksum_of(file, v, record_dimension, n_records, path));
  return {n_in_file, sums};
}

}  // namespace halcyon::io
