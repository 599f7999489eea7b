#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/schedule/blocks.hpp"

namespace halcyon::transform {

/// Values of fields at the part v of the longitudes of a rank's rows: those of a field at `at` + `stride`
/// times its number, row after row.
template <class T>
struct Part {
  T* at;
  std::size_t stride;
};

/// Parts that are only read.
inline std::vector<Part<const double>> to_read(std::span<const Part<double>> parts) {
  std::vector<Part<const double>> read;
  for (const auto& [at, stride] : parts) read.push_back({at, stride});
  return read;
}

/// Where the values of a row lie, of which each v has a part.
class RowParts {
 public:
  /// No row.
  RowParts() = default;
  /// @param starts (v) of its part among those of all rows
  RowParts(const schedule::Division& parts, std::vector<std::size_t> starts);

  int length() const { return begins_.empty() ? 0 : begins_.back(); }
  /// The part of v of a field.
  template <class T>
  T* place(std::span<const Part<T>> parts, int v, int field) const {
    return parts[v].at + field * parts[v].stride + starts_[v];
  }
  /// A whole row becomes its parts, or back.
  void deal(const double* row, std::span<const Part<double>> parts, int field) const;
  void collect(std::span<const Part<const double>> parts, int field, double* row) const;

 private:
  std::vector<std::size_t> starts_{};
  std::vector<int> begins_{};  ///< (v + 1) in the row
};

}  // namespace halcyon::transform
