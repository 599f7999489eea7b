#pragma once

#include <cstddef>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/panels.hpp"

namespace halcyon::transform {

inline constexpr int kGroup = 16;  ///< stripes that are summed at a time: fixed, for the bits' sake

/// The terms of a wavenumber with even, or with odd n - m, of all fields, as they are summed: by pairs of
/// fields, whose real and imaginary parts are four columns.
struct Parity {
  int n;              ///< terms
  std::size_t first;  ///< its first term among the functions
  std::size_t half;   ///< its halves in a block
  double* columns;    ///< (pair of fields, term, 4)
  double* halves;     ///< (pair of fields, stripe of a group, 4, lane)

  double* column(int field) const {
    return columns + static_cast<std::size_t>(field / 2) * n * 4 + field % 2 * 2;
  }
  double* halves_at(int field, int stripe) const {
    return halves + (static_cast<std::size_t>(field / 2) * kGroup + stripe) * kBlock +
           field % 2 * (kBlock / 2);
  }
};

struct Parities {
  /// @param n terms of both
  /// @param n_even_functions functions that stand before those of odd n - m
  Parities(int n, int n_even_functions, int n_fields, Buffer& columns, Buffer& halves);

  /// Coefficients of a field and of the next one, [n] complex, become columns, or columns coefficients. Where
  /// there is no next one, both are the same.
  void spread(const double* first, const double* second, int field) const;
  void gather(int field, double* first, double* second) const;
  /// Blocks of all fields at a stripe of a group come to stand with those of the other stripes.
  void pack(const double* blocks, int n_fields, int stripe) const;

  Parity even, odd;
};

}  // namespace halcyon::transform
