#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace halcyon::mesh {

/// What a file is written as: CDF-5 is what PnetCDF reads; netCDF-4 is HDF5.
enum class Format { cdf5, netcdf4 };

/// @throws ConfigError unless the name is "cdf5" or "netcdf4"
Format format_named(const std::string& name);

/// A netCDF file being made. Variables are defined with a function that fills their rows; `finish` writes
/// them one after the other in blocks of rows, so that a table needs no memory of its own. No time stamps:
/// the same calls give the same bytes.
/// Every function throws RunError if the disk or the folder refuses.
class NetcdfOutput {
 public:
  NetcdfOutput(std::string path, Format format);
  NetcdfOutput(const NetcdfOutput&) = delete;
  NetcdfOutput& operator=(const NetcdfOutput&) = delete;
  ~NetcdfOutput();

  int dimension(const char* name, std::size_t length);
  void attribute(const char* name, const std::string& text);
  void attribute(const char* name, double value);

  /// Fills rows first .. first + n of a table into `out` (row, column).
  template <class T>
  using Fill = std::function<void(std::size_t first, std::size_t n, T* out)>;

  /// A table of 32-bit integers or 64-bit reals; the first dimension counts its rows.
  void variable(const std::string& name, const std::vector<int>& dimensions, Fill<std::int32_t> fill);
  void variable(const std::string& name, const std::vector<int>& dimensions, Fill<double> fill);

  /// Writes all variables and closes the file. @throws RunError where they would not fit on the disk
  void finish();

 private:
  template <class T>
  void define(const std::string& name, int type, const std::vector<int>& dimensions, Fill<T> fill);
  void check(int status) const;

  std::string path_;
  Format format_;
  int file_ = -1;
  bool writing_ = false;
  std::uint64_t bytes_ = 0;
  std::vector<std::size_t> lengths_;  // of dimensions, by their id
  std::vector<std::function<void()>> pending_;
};

}  // namespace halcyon::mesh
