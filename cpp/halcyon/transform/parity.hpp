#pragma once

#include <array>
#include <cstddef>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/panels.hpp"

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

/// The same, as sums over latitudes: by pairs of fields.
struct Sums {
  int n;
  std::size_t first;
  double* columns;       ///< (pair of fields, term) of the real parts of both and then the imaginary ones
  const double* halves;  ///< (pair of fields, stripe of a group, field, real and imaginary part, lane)

  double* of(int pair) const { return columns + static_cast<std::size_t>(pair) * n * 4; }
  const double* halves_of(int pair) const { return halves + static_cast<std::size_t>(pair) * kGroup * kBlock; }
};

/// Terms with even n - m, and those with odd.
/// @param n of both
/// @param n_even_functions functions that stand before those of odd n - m
/// @param coefficients of field 0: (n - m), complex
std::array<Terms, 2> terms(int n, int n_even_functions, const double* coefficients, std::size_t stride);

/// Sums of both parities of all fields, in memory of their own.
class BothSums {
 public:
  BothSums(int n, int n_even_functions, int n_fields, Buffer& columns, Buffer& halves);

  const std::array<Sums, 2>& each() const { return each_; }
  /// Takes the halves of a stripe of a group from the blocks of its fields.
  void take(const double* blocks, int stripe) const;
  /// Coefficients of fields `pair` and of the next one, (n - m) complex. Where there is no next one, both are
  /// the same.
  void give(int pair, double* first, double* second) const;

 private:
  int n_fields_;
  double* halves_;
  std::array<Sums, 2> each_;
};

}  // namespace halcyon::transform
