#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/processor.hpp"
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

inline constexpr int kTerms = 48;  ///< terms whose functions at a group of stripes stay near

/// What the Legendre stage computes with. Sums are of one parity, at a group of stripes. What a number is
/// rounded to depends on its own terms and their order alone: neither on other fields, nor on how many are
/// computed at once.
struct Kernels {
  /// `functions` of polynomials.hpp.
  void (*functions)(std::span<const Step> steps, const Places& places, int n_pairs, double* values);
  /// x_c(mu) = sum_n P_n(mu) X_nc, n ascending.
  /// @param functions (pair of stripes) of (term, lane); `pitch` numbers on are those of the next pair
  /// @param blocks (stripe) of those of field 0, of both stripes of each pair
  /// @param ahead is told of the work: terms times stripes times fields
  void (*over_terms)(const Terms& terms, int n_fields, int n_stripes, const double* functions,
                     std::size_t pitch, double* const* blocks, Ahead& ahead);
  /// X_nc += sum_mu P_n(mu) x_c(mu): in each lane of a stripe from the equator on, then the lanes.
  /// @param starts whether X_nc were 0
  void (*over_latitudes)(const Sums& sums, int n_fields, int n_stripes, const double* functions,
                         std::size_t pitch, const double* const* blocks, bool starts, Ahead& ahead);
};

/// By registers of 4 numbers, which every processor of the level has.
extern const Kernels kNarrowKernels;
/// By registers of 8 (AVX-512), where the processor has them: the same bits.
extern const Kernels kWideKernels;

inline const Kernels& fastest_kernels() {
  return has_wide_registers() ? kWideKernels : kNarrowKernels;
}

}  // namespace halcyon::transform
