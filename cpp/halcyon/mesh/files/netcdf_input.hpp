#pragma once

#include <cstddef>
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

}  // namespace halcyon::mesh
