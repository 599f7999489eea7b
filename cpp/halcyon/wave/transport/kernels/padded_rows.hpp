#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

/// Frequencies that are computed with at once: their rows of directions stay in the first cache.
inline constexpr int kMostRows = 5;

/// Some rows of directions, with a neighbour wrapped around on either side.
class PaddedRows {
 public:
  PaddedRows(int n_directions, float* first) : first_(first), n_(n_directions) {}
  static std::size_t size(int n_directions) {
    return static_cast<std::size_t>(kMostRows * (n_directions + 2));
  }

  float* operator[](int row) const { return first_ + row * (n_ + 2) + 1; }
  void wrap(int row) const {
    float* values = (*this)[row];
    values[-1] = values[n_ - 1];
    values[n_] = values[0];
  }

 private:
  float* first_;
  int n_;
};

/// So many sets of padded rows in scratch.
template <std::size_t kCount>
std::array<PaddedRows, kCount> padded_rows(int n_directions, std::span<float> scratch) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{PaddedRows(n_directions, scratch.data() + I * PaddedRows::size(n_directions))...};
  }(std::make_index_sequence<kCount>{});
}

/// Calls body with a number of rows as a compile-time constant.
template <int kRows = kMostRows, class Body>
inline void with_rows(int n_rows, const Body& body) {
  if constexpr (kRows > 1) {
    if (n_rows < kRows) return with_rows<kRows - 1>(n_rows, body);
  }
  body(std::integral_constant<int, kRows>{});
}

/// The monotonized-central slope of a padded row of doubled values (van Leer 1977): of the central difference
/// and twice those on both sides the smallest, if they agree in sign.
inline Lanes slope_of_doubled(const float* row) {
  const Lanes centre = load(row);
  const Lanes below = centre - load(row - 1), above = load(row + 1) - centre;
  const Lanes most = larger(smaller(below, above), Lanes{}), least = smaller(larger(below, above), Lanes{});
  return smaller(larger(0.25f * (below + above), least), most);
}

}  // namespace halcyon::wave
