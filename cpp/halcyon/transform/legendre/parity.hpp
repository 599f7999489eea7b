#pragma once

#include <array>
#include <cstddef>

#include "halcyon/transform/legendre/panels.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

inline constexpr int kGroup = 16;  ///< stripes that are summed at a time: fixed, for the bits' sake

/// The terms of a wavenumber with even, or with odd n - m, of all fields: coefficients that are summed.
struct Terms {
  static constexpr int kNext = 4;  ///< numbers from a coefficient to the next one of the parity

  int n;
  std::size_t first;   ///< the first one among the functions
  std::size_t half;    ///< their halves in a block
  const double* of_0;  ///< of field 0: (term), complex, `kNext` numbers apart
  std::size_t stride;  ///< numbers from one field to the next

  const double* of(int field) const { return of_0 + field * stride; }
};

/// The same as sums over latitudes, by pairs of fields.
struct Sums {
  int n;
  std::size_t first, half;
  double* columns;  ///< (pair of fields, term) of the real parts of both and then the imaginary ones

  /// Numbers of a pair: whole cache lines.
  static std::size_t pitch(int n) { return static_cast<std::size_t>(n + n % 2) * 4; }
  double* of(int pair) const { return columns + pair * pitch(n); }
};

/// Those with even n - m, and those with odd.
/// @param n of both
/// @param n_even_functions functions that stand before those of odd n - m
/// @param coefficients of field 0: (n - m), complex
std::array<Terms, 2> terms(int n, int n_even_functions, const double* coefficients, std::size_t stride);
std::array<Sums, 2> sums(int n, int n_even_functions, int n_fields, Buffer& columns);

/// Sums of both become coefficients of a pair's fields, (n - m) complex. Where it has one, both are the same.
void give(const std::array<Sums, 2>& both, int pair, double* first, double* second);

}  // namespace halcyon::transform
