#pragma once

#include <fmt/ranges.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/checksum.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/files/verify.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

namespace halcyon::mesh {

/// A netCDF file of any format, opened for reading. Every function throws InputError with the file and the
/// variable if a variable is missing, has the wrong shape, or cannot be read.
class NetcdfInput {
 public:
  /// Checks the checksums of a file that has some.
  /// @throws InputError if the file is missing, cut short, damaged, or of another format
  explicit NetcdfInput(const std::string& path) : path_(path) {
    require_undamaged(path);
    const int status = nc_open(path.c_str(), NC_NOWRITE, &file_);
    require<InputError>(status == NC_NOERR, "Cannot read {}: {}. A mesh is a netCDF file.", path,
                        nc_strerror(status));
  }
  NetcdfInput(const NetcdfInput&) = delete;
  NetcdfInput& operator=(const NetcdfInput&) = delete;
  ~NetcdfInput() { nc_close(file_); }

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const {
    int id = 0;
    return nc_inq_varid(file_, name.c_str(), &id) == NC_NOERR;
  }
  std::size_t dimension(const char* name) const {
    int id = 0;
    std::size_t length = 0;
    require<InputError>(nc_inq_dimid(file_, name, &id) == NC_NOERR,
                        "{} has no dimension {}. Is it an MPAS mesh file?", path_, name);
    check(name, nc_inq_dimlen(file_, id, &length));
    return length;
  }
  /// Lengths of a variable's dimensions.
  std::vector<std::size_t> shape(const std::string& name) const {
    int n_dimensions = 0, dimensions[NC_MAX_VAR_DIMS];
    check(name, nc_inq_var(file_, variable_id(name), nullptr, nullptr, &n_dimensions, dimensions, nullptr));
    std::vector<std::size_t> lengths(n_dimensions);
    for (int d = 0; d < n_dimensions; ++d) check(name, nc_inq_dimlen(file_, dimensions[d], &lengths[d]));
    return lengths;
  }
  /// Returns a global text attribute without trailing blanks; "" if it is missing.
  std::string text_attribute(const char* name) const {
    std::string text = read_text(file_, name);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.pop_back();
    return text;
  }
  /// Returns a numeric global attribute; `default_value` if it is missing.
  double number_attribute(const char* name, double default_value) const {
    std::size_t length = 0;
    if (nc_inq_attlen(file_, NC_GLOBAL, name, &length) != NC_NOERR) return default_value;
    double value = 0;
    require<InputError>(length == 1 && nc_get_att_double(file_, NC_GLOBAL, name, &value) == NC_NOERR,
                        "{}: the attribute {} is not a number. Set it.", path_, name);
    return value;
  }

  /// Reads a block of a variable: counts[d] values from index starts[d] in each dimension d.
  void read(const std::string& name, const std::vector<std::size_t>& starts,
            const std::vector<std::size_t>& counts, int* values) const {
    check(name, nc_get_vara_int(file_, variable_id(name), starts.data(), counts.data(), values));
  }
  void read(const std::string& name, const std::vector<std::size_t>& starts,
            const std::vector<std::size_t>& counts, double* values) const {
    check(name, nc_get_vara_double(file_, variable_id(name), starts.data(), counts.data(), values));
  }

  /// Reads a table of n rows and `width` columns in blocks of rows, and calls `use`(first row, row count,
  /// values) for each. If the variable has leading dimensions (time), their first index is read.
  template <class T, class Use>
  void read_blocks(const std::string& name, std::size_t n, std::size_t width, Use use) const {
    std::vector<std::size_t> starts = table_start(name, n, width), counts(starts.size(), 1);
    const std::size_t row_dimension = starts.size() - (width > 1 ? 2 : 1),
                      max_rows = std::max<std::size_t>(1, kBlockValues / width);
    counts.back() = width;
    std::vector<T> values(std::min(max_rows, n) * width);
    for (std::size_t& first = starts[row_dimension]; first < n; first += counts[row_dimension]) {
      counts[row_dimension] = std::min(max_rows, n - first);
      read(name, starts, counts, values.data());
      use(first, counts[row_dimension], values.data());
    }
  }
  std::vector<int> read_integers(const std::string& name, std::size_t n) const {
    std::vector<int> all(n);
    read_blocks<int>(name, n, 1, [&](std::size_t first, std::size_t count, const int* values) {
      std::copy(values, values + count, &all[first]);
    });
    return all;
  }
  /// Reads n real numbers, which must be finite.
  std::vector<double> read_reals(const std::string& name, std::size_t n) const {
    std::vector<double> all(n);
    read_blocks<double>(name, n, 1, [&](std::size_t first, std::size_t count, const double* values) {
      for (std::size_t i = 0; i < count; ++i)
        require<InputError>(std::isfinite(values[i]),
                            "{}: {} is not a number at entry {}. Make the mesh again.", path_, name,
                            first + i + 1);
      std::copy(values, values + count, &all[first]);
    });
    return all;
  }

 private:
  static constexpr std::size_t kBlockValues = 1 << 16;  ///< values per block of `read_blocks`

  /// Reads a text attribute of type NC_CHAR or NC_STRING.
  static std::string read_text(int file, const char* name) {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(file, NC_GLOBAL, name, &type, &length) != NC_NOERR || length == 0) return "";
    if (type == NC_CHAR) {
      std::string text(length, ' ');
      nc_get_att_text(file, NC_GLOBAL, name, text.data());
      return text;
    }
    if (type != NC_STRING || length != 1) return "";
    char* value = nullptr;
    nc_get_att_string(file, NC_GLOBAL, name, &value);
    const std::string text = value == nullptr ? "" : value;
    nc_free_string(1, &value);
    return text;
  }
  int variable_id(const std::string& name) const {
    int id = 0;
    require<InputError>(nc_inq_varid(file_, name.c_str(), &id) == NC_NOERR,
                        "{} has no variable {}. Write the mesh with all variables of its format.", path_,
                        name);
    return id;
  }
  /// Returns the start index of a table, 0 in each dimension. Checks that its last dimensions are n and
  /// `width`.
  std::vector<std::size_t> table_start(const std::string& name, std::size_t n, std::size_t width) const {
    const auto actual = shape(name);
    std::vector<std::size_t> expected{n};
    if (width > 1) expected.push_back(width);
    const bool fits = actual.size() >= expected.size() && std::ranges::count(actual, 0) == 0 &&
                      std::equal(expected.rbegin(), expected.rend(), actual.rbegin());
    require<InputError>(fits, "{}: {} has the shape ({}), but ({}) is needed. Make the mesh again.", path_,
                        name, fmt::join(actual, ", "), fmt::join(expected, ", "));
    return std::vector<std::size_t>(actual.size(), 0);
  }
  void check(const std::string& name, int status) const {
    require<InputError>(status == NC_NOERR, "{}: {} cannot be read: {}.", path_, name, nc_strerror(status));
  }

  std::string path_;
  int file_ = -1;
};

/// A netCDF file opened for writing. Each variable is defined with a function that fills its rows; `finish`
/// writes the variables one after the other in blocks of rows, so that no table is copied as a whole, and the
/// checksums. The file has no time stamps: the same calls give the same bytes. Every function throws RunError
/// if the file cannot be written.
class NetcdfOutput {
 public:
  NetcdfOutput(std::string path, Format format) : path_(std::move(path)), format_(format) {
    std::size_t buffer = 1 << 20;  // netCDF's I/O buffer
    const int mode = NC_CLOBBER | (format == Format::cdf5 ? NC_64BIT_DATA : NC_NETCDF4);
    check(nc__create(path_.c_str(), mode, 0, &buffer, &file_));
    check(nc_set_fill(file_, NC_NOFILL, nullptr));
  }
  NetcdfOutput(const NetcdfOutput&) = delete;
  NetcdfOutput& operator=(const NetcdfOutput&) = delete;
  ~NetcdfOutput() {
    // HDF5 crashes when it closes a file whose writing failed (netCDF-C 4.9.0). That file stays open.
    const bool crashes = format_ == Format::netcdf4 && writing_;
    if (file_ >= 0 && !crashes) nc_abort(file_);
  }

  int dimension(const char* name, std::size_t length) {
    int id = 0;
    check(nc_def_dim(file_, name, length, &id));
    lengths_.push_back(length);
    return id;
  }
  void attribute(const char* name, const std::string& text) {
    check(nc_put_att_text(file_, NC_GLOBAL, name, text.size(), text.c_str()));
  }
  void attribute(const char* name, double value) {
    check(nc_put_att_double(file_, NC_GLOBAL, name, NC_DOUBLE, 1, &value));
  }

  /// Writes rows first .. first + n - 1 of a table to `out` (row, column).
  template <class T>
  using Fill = std::function<void(std::size_t first, std::size_t n, T* out)>;

  /// Defines a table of 32-bit integers or 64-bit reals; its first dimension is the rows.
  void variable(const std::string& name, const std::vector<int>& dimensions, Fill<std::int32_t> fill) {
    define(name, NC_INT, dimensions, std::move(fill));
  }
  void variable(const std::string& name, const std::vector<int>& dimensions, Fill<double> fill) {
    define(name, NC_DOUBLE, dimensions, std::move(fill));
  }

  /// Writes all variables and closes the file. @throws RunError if the disk has too little space
  void finish() {
    require_space(path_, bytes_);
    writing_ = true;
    if (format_ == Format::cdf5) attribute(kHeaderChecksum, checksum_text(0));
    check(nc_enddef(file_));
    for (auto& write : pending_) write();
    check(nc_close(std::exchange(file_, -1)));
    if (format_ == Format::cdf5)
      write_checksums(path_, checksums_);
    else
      write_checksums(path_);
  }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 18;  ///< size of a block of rows: fits the cache of a core

  int put(int id, const std::size_t* start, const std::size_t* count, const std::int32_t* values) const {
    return nc_put_vara_int(file_, id, start, count, values);
  }
  int put(int id, const std::size_t* start, const std::size_t* count, const double* values) const {
    return nc_put_vara_double(file_, id, start, count, values);
  }
  template <class T>
  void define(const std::string& name, int type, const std::vector<int>& dimensions, Fill<T> fill) {
    int id = 0;
    check(nc_def_var(file_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    std::vector<std::size_t> count;
    for (const int dimension : dimensions) count.push_back(lengths_[dimension]);
    const std::size_t rows = count[0], width = count.size() > 1 ? count[1] : 1;
    const auto zeros = checksum_text(0);
    if (format_ == Format::cdf5) check(nc_put_att_text(file_, id, kChecksum, zeros.size(), zeros.c_str()));
    bytes_ += rows * width * sizeof(T);
    pending_.push_back([this, id, count, rows, width, fill = std::move(fill)]() mutable {
      std::uint64_t& sum = checksums_.emplace_back();
      const std::size_t max_rows = std::max<std::size_t>(1, kBlockBytes / (width * sizeof(T)));
      std::vector<T> block(std::min(rows, max_rows) * width);
      std::size_t start[2] = {0, 0};
      for (std::size_t& first = start[0]; first < rows; first += count[0]) {
        count[0] = std::min(max_rows, rows - first);
        fill(first, count[0], block.data());
        sum += checksum(std::span<const T>(block.data(), count[0] * width), first * width);
        check(put(id, start, count.data(), block.data()));
      }
    });
  }
  void check(int status) const {
    require<RunError>(status == NC_NOERR,
                      "Cannot write {}: {}. Check the folder, its permissions and free space.", path_,
                      nc_strerror(status));
  }

  std::string path_;
  Format format_;
  int file_ = -1;
  bool writing_ = false;                        ///< whether `finish` has started to write
  std::uint64_t bytes_ = 0;                     ///< size of all defined variables
  std::vector<std::size_t> lengths_;            ///< (dimension id)
  std::vector<std::uint64_t> checksums_;        ///< of the written variables
  std::vector<std::function<void()>> pending_;  ///< write one variable each
};

}  // namespace halcyon::mesh
