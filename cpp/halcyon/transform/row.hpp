#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/schedule/blocks.hpp"
#include "halcyon/transform/fft.hpp"

namespace halcyon::transform {

/// Values of fields at the part v of the longitudes of a rank's rows: those of a field at `at` + `stride`
/// times its number, row after row.
template <class T>
struct Part {
  T* at;
  std::size_t stride;
};

/// A row of a grid, of which each v has a part.
class Row {
 public:
  Row() = default;
  /// @param starts (v) of its part among those of all rows
  Row(const Fft& fft, const schedule::Division& parts, std::vector<std::size_t> starts);

  /// None where there is no row.
  explicit operator bool() const { return fft_ != nullptr; }
  int length() const { return begins_.back(); }

  /// @param waves are overwritten
  /// @param parts (v)
  /// @param whole for the whole row, where V > 1
  void to_values(double* waves, int field, std::span<const Part<double>> parts, double* whole) const;
  void to_waves(std::span<const Part<const double>> parts, int field, double* waves, double* whole) const;

 private:
  const Fft* fft_ = nullptr;
  std::vector<std::size_t> starts_{};
  std::vector<int> begins_{};  ///< (v + 1) in the row
};

/// Parts that are only read.
inline std::vector<Part<const double>> to_read(std::span<const Part<double>> parts) {
  std::vector<Part<const double>> read;
  for (const auto& [at, stride] : parts) read.push_back({at, stride});
  return read;
}

}  // namespace halcyon::transform
