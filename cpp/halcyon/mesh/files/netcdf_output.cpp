#include "halcyon/mesh/files/netcdf_output.hpp"

#include <netcdf.h>

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/files/whole_file.hpp"

namespace halcyon::mesh {
namespace {

constexpr std::size_t kBlockBytes = 1 << 18;   // stays in a core's cache
constexpr std::size_t kBufferBytes = 1 << 20;  // of netCDF's own, between it and the file

int put(int file, int id, const std::size_t* start, const std::size_t* count, const std::int32_t* values) {
  return nc_put_vara_int(file, id, start, count, values);
}
int put(int file, int id, const std::size_t* start, const std::size_t* count, const double* values) {
  return nc_put_vara_double(file, id, start, count, values);
}

}  // namespace

Format format_named(const std::string& name) {
  require<ConfigError>(name == "cdf5" || name == "netcdf4",
                       "The format '{}' is unknown. Choose 'cdf5' or 'netcdf4'.", name);
  return name == "cdf5" ? Format::cdf5 : Format::netcdf4;
}

NetcdfOutput::NetcdfOutput(std::string path, Format format) : path_(std::move(path)), format_(format) {
  std::size_t buffer = kBufferBytes;
  const int mode = NC_CLOBBER | (format == Format::cdf5 ? NC_64BIT_DATA : NC_NETCDF4);
  check(nc__create(path_.c_str(), mode, 0, &buffer, &file_));
  check(nc_set_fill(file_, NC_NOFILL, nullptr));
}

NetcdfOutput::~NetcdfOutput() {
  // HDF5 crashes when it closes a file whose writing failed (netCDF-C 4.9.0): such a file stays open.
  const bool crashes = format_ == Format::netcdf4 && writing_;
  if (file_ >= 0 && !crashes) nc_abort(file_);
}

int NetcdfOutput::dimension(const char* name, std::size_t length) {
  int id = 0;
  check(nc_def_dim(file_, name, length, &id));
  lengths_.push_back(length);
  return id;
}

void NetcdfOutput::attribute(const char* name, const std::string& text) {
  check(nc_put_att_text(file_, NC_GLOBAL, name, text.size(), text.c_str()));
}

void NetcdfOutput::attribute(const char* name, double value) {
  check(nc_put_att_double(file_, NC_GLOBAL, name, NC_DOUBLE, 1, &value));
}

void NetcdfOutput::variable(const std::string& name, const std::vector<int>& dimensions,
                            Fill<std::int32_t> fill) {
  define(name, NC_INT, dimensions, std::move(fill));
}

void NetcdfOutput::variable(const std::string& name, const std::vector<int>& dimensions, Fill<double> fill) {
  define(name, NC_DOUBLE, dimensions, std::move(fill));
}

template <class T>
void NetcdfOutput::define(const std::string& name, int type, const std::vector<int>& dimensions,
                          Fill<T> fill) {
  int id = 0;
  check(nc_def_var(file_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
  std::vector<std::size_t> count;
  for (const int dimension : dimensions) count.push_back(lengths_[dimension]);
  const std::size_t rows = count[0], width = count.size() > 1 ? count[1] : 1;
  bytes_ += rows * width * sizeof(T);
  pending_.push_back([this, id, count, rows, width, fill = std::move(fill)]() mutable {
    const std::size_t most = std::max<std::size_t>(1, kBlockBytes / (width * sizeof(T)));
    std::vector<T> block(std::min(rows, most) * width);
    std::size_t start[2] = {0, 0};
    for (std::size_t& first = start[0]; first < rows; first += count[0]) {
      count[0] = std::min(most, rows - first);
      fill(first, count[0], block.data());
      check(put(file_, id, start, count.data(), block.data()));
    }
  });
}

void NetcdfOutput::finish() {
  require_space(path_, bytes_);
  writing_ = true;
  check(nc_enddef(file_));
  for (auto& write : pending_) write();
  check(nc_close(std::exchange(file_, -1)));
}

void NetcdfOutput::check(int status) const {
  require<RunError>(status == NC_NOERR,
                    "Cannot write {}: {}. Check the folder, its permissions and free space.", path_,
                    nc_strerror(status));
}

}  // namespace halcyon::mesh
