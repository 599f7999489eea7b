#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace halcyon::mesh {

/// A netCDF file of any format being read. Every function throws InputError, naming file and variable, if
/// something is missing, has another size, or cannot be read.
class NetcdfInput {
 public:
  /// @throws InputError if the file is missing, cut short, or of another format
  explicit NetcdfInput(const std::string& path);
  NetcdfInput(const NetcdfInput&) = delete;
  NetcdfInput& operator=(const NetcdfInput&) = delete;
  ~NetcdfInput();

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const;
  std::size_t dimension(const char* name) const;
  /// Lengths of a variable's dimensions.
  std::vector<std::size_t> shape(const std::string& name) const;
  /// A global attribute: its text without blanks at the end, "" if there is none.
  std::string text(const char* name) const;
  /// A global attribute that is a number, or `otherwise` if there is none.
  double number(const char* name, double otherwise) const;

  /// A block of a variable: counts[d] values from starts[d] on in each dimension.
  void read(const std::string& name, const std::vector<std::size_t>& starts,
            const std::vector<std::size_t>& counts, int* values) const;
  void read(const std::string& name, const std::vector<std::size_t>& starts,
            const std::vector<std::size_t>& counts, double* values) const;

  /// Hands a table of n rows and `width` columns to `use` in blocks of rows, (first row, row count, values).
  /// Where the variable has dimensions before its own (time), the first entry of each counts.
  template <class T, class Use>
  void rows(const std::string& name, std::size_t n, std::size_t width, Use use) const;
  /// A variable of n values; reals must be finite.
  std::vector<int> integers(const std::string& name, std::size_t n) const;
  std::vector<double> reals(const std::string& name, std::size_t n) const;

 private:
  int variable(const std::string& name) const;
  /// Where the table starts: 0 in each dimension, after checking that the last ones are n and `width`.
  std::vector<std::size_t> table(const std::string& name, std::size_t n, std::size_t width) const;
  void check(const std::string& name, int status) const;

  std::string path_;
  int file_ = -1;
};

/// Rows that are read at once.
std::size_t rows_per_block(std::size_t width);

template <class T, class Use>
void NetcdfInput::rows(const std::string& name, std::size_t n, std::size_t width, Use use) const {
  std::vector<std::size_t> starts = table(name, n, width), counts(starts.size(), 1);
  const std::size_t row = starts.size() - (width > 1 ? 2 : 1), most = rows_per_block(width);
  counts.back() = width;
  std::vector<T> values(std::min(most, n) * width);
  for (std::size_t& first = starts[row]; first < n; first += counts[row]) {
    counts[row] = std::min(most, n - first);
    read(name, starts, counts, values.data());
    use(first, counts[row], values.data());
  }
}

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
