#include "halcyon/io/writer.hpp"

#include <mpi.h>
#include <pnetcdf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/classic_file.hpp"

namespace halcyon::io {

namespace {

nc_type netcdf_type(Type type) {
  switch (type) {
    case Type::int32:
      return NC_INT;
    case Type::float32:
      return NC_FLOAT;
    default:
      return NC_DOUBLE;
  }
}

int put_runs(int file, int variable, int n, MPI_Offset* const* first, MPI_Offset* const* count,
             const float* v) {
  return ncmpi_put_varn_float_all(file, variable, n, first, count, v);
}
int put_runs(int file, int variable, int n, MPI_Offset* const* first, MPI_Offset* const* count,
             const double* v) {
  return ncmpi_put_varn_double_all(file, variable, n, first, count, v);
}
int put_runs(int file, int variable, int n, MPI_Offset* const* first, MPI_Offset* const* count,
             const std::int32_t* v) {
  return ncmpi_put_varn_int_all(file, variable, n, first, count, v);
}

/// The sizes of a variable's dimensions; the first is 1 where it grows with the records.
std::vector<MPI_Offset> record_shape(int file, int variable, GlobalIndex record) {
  int n_dimensions = 0;
  ncmpi_inq_varndims(file, variable, &n_dimensions);
  std::vector<int> ids(n_dimensions);
  ncmpi_inq_vardimid(file, variable, ids.data());
  std::vector<MPI_Offset> shape(n_dimensions);
  for (int d = 0; d < n_dimensions; ++d) ncmpi_inq_dimlen(file, ids[d], &shape[d]);
  if (record >= 0 && !shape.empty()) shape[0] = 1;
  return shape;
}

/// Some MPI libraries report success where the disk is full: the file itself tells.
void require_all_written(const std::string& path) {
  const auto promised = mesh::promised_bytes(path).value_or(0);
  const auto found = std::filesystem::file_size(path);
  require<RunError>(found >= promised, "only {} of its {} bytes are on the disk, which may be full", found,
                    promised);
}

}  // namespace

Writer::Writer(const comm::Communicator& comm, std::string path, bool large)
    : comm_(comm), path_(std::move(path)), part_(path_ + ".part") {
  const int mode = NC_CLOBBER | (large ? NC_64BIT_DATA : NC_64BIT_OFFSET);
  agree(ncmpi_create(comm_.get(), part_.c_str(), mode, MPI_INFO_NULL, &file_), "create it");
}

void Writer::agree(int status, const std::string& what) const {
  const auto worst = static_cast<int>(comm_.min(status));
  require<RunError>(worst == NC_NOERR, "{}: cannot {}: {}. What was written before is in {}.", path_, what,
                    ncmpi_strerror(worst), part_);
}

void Writer::dimension(const std::string& name, GlobalIndex size) {
  int id = 0;
  agree(ncmpi_def_dim(file_, name.c_str(), size == 0 ? NC_UNLIMITED : size, &id),
        "define the dimension " + name);
}

void Writer::variable(const std::string& name, Type type, const std::vector<std::string>& dimensions) {
  std::vector<int> ids(dimensions.size());
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    agree(ncmpi_inq_dimid(file_, dimensions[d].c_str(), &ids[d]), "find the dimension " + dimensions[d]);
  }
  int id = 0;
  agree(ncmpi_def_var(file_, name.c_str(), netcdf_type(type), static_cast<int>(ids.size()), ids.data(), &id),
        "define the variable " + name);
}

int Writer::id_of(const std::string& variable) const {
  if (variable.empty()) return NC_GLOBAL;
  int id = 0;
  agree(ncmpi_inq_varid(file_, variable.c_str(), &id), "find the variable " + variable);
  return id;
}

void Writer::attribute(const std::string& variable, const std::string& name, const std::string& value) {
  agree(ncmpi_put_att_text(file_, id_of(variable), name.c_str(), static_cast<MPI_Offset>(value.size()),
                           value.data()),
        "set the attribute " + name);
}

void Writer::attribute(const std::string& variable, const std::string& name, double value, Type type) {
  agree(ncmpi_put_att_double(file_, id_of(variable), name.c_str(), netcdf_type(type), 1, &value),
        "set the attribute " + name);
}

void Writer::end_definitions() {
  agree(ncmpi_enddef(file_), "write its header");
}

void Writer::write(const std::string& variable, GlobalIndex record, std::span<const double> values) {
  const int id = id_of(variable);
  auto count = record_shape(file_, id, record);
  std::vector<MPI_Offset> first(count.size(), 0);
  if (record >= 0) first[0] = record;
  MPI_Offset size = 1;
  for (const auto n : count) size *= n;
  const bool mine = comm_.rank() == 0;
  const bool fits = !mine || static_cast<MPI_Offset>(values.size()) == size;
  if (!mine) std::ranges::fill(count, 0);
  agree(fits ? NC_NOERR : NC_EEDGE, "fit the values of " + variable);
  agree(ncmpi_put_vara_double_all(file_, id, first.data(), count.data(), values.data()), "write " + variable);
}

template <class T>
void Writer::write_items(const std::string& variable, GlobalIndex record, const Placement& placement,
                         std::span<const T> values) {
  const int id = id_of(variable);
  const auto shape = record_shape(file_, id, record);
  const std::size_t along = record >= 0 ? 1 : 0;
  std::size_t width = 1;
  for (auto d = along + 1; d < shape.size(); ++d) width *= shape[d];
  agree(along < shape.size() && values.size() == width * placement.size() ? NC_NOERR : NC_EEDGE,
        "fit the values of " + variable);
  std::vector<T> sorted;
  placement.sort(values, width, sorted);
  const auto n_runs = placement.runs().size();
  std::vector<MPI_Offset> first(n_runs * shape.size(), 0), count(n_runs * shape.size());
  std::vector<MPI_Offset*> firsts, counts;
  for (std::size_t run = 0; run < n_runs; ++run) {
    auto* f = &first[run * shape.size()];
    auto* c = &count[run * shape.size()];
    std::ranges::copy(shape, c);
    if (record >= 0) f[0] = record;
    f[along] = placement.runs()[run].first;
    c[along] = placement.runs()[run].count;
    firsts.push_back(f);
    counts.push_back(c);
  }
  agree(put_runs(file_, id, static_cast<int>(n_runs), firsts.data(), counts.data(), sorted.data()),
        "write " + variable);
}

void Writer::write(const std::string& variable, GlobalIndex record, const Placement& placement,
                   std::span<const float> values) {
  write_items(variable, record, placement, values);
}

void Writer::write(const std::string& variable, GlobalIndex record, const Placement& placement,
                   std::span<const double> values) {
  write_items(variable, record, placement, values);
}

void Writer::write(const std::string& variable, GlobalIndex record, const Placement& placement,
                   std::span<const std::int32_t> values) {
  write_items(variable, record, placement, values);
}

void Writer::sync() {
  agree(ncmpi_sync(file_), "sync it");
}

void Writer::close() {
  sync();
  agree(ncmpi_close(file_), "close it");
  std::string trouble;
  if (comm_.rank() == 0) {
    try {
      require_all_written(part_);
      if (std::rename(part_.c_str(), path_.c_str()) != 0) trouble = std::strerror(errno);
    } catch (const InputError&) {
      trouble = "its header is not on the disk, which may be full";
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  require<RunError>(comm_.max(!trouble.empty()) == 0, "{}: cannot finish it: {}. What was written is in {}.",
                    path_, trouble.empty() ? "rank 0 tells why" : trouble, part_);
}

}  // namespace halcyon::io
