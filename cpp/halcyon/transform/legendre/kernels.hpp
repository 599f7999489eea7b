#pragma once

#include <cstddef>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Stripes (buffer.hpp) that are summed together; the same for all processors, since it determines the bits.
inline constexpr int kStripesPerGroup = 16;

/// Initial values of the recurrences at the northern latitudes of pairs of stripes (see share/buffer.hpp).
struct BaseStart {
  const double *x, *previous, *current;  ///< (latitude) x, q_{j-1} and q_j for the first j
};

/// Terms or sums of the base functions of one m (polynomials.hpp) for all fields: (field, j, part), where the
/// parts are the real and imaginary parts of the even and of the odd series (`Kernels`).
struct BaseSeries {
  static constexpr int kParts = 4;

  BaseSeries(int n, int n_fields, Buffer& memory) : n(n), n_fields(n_fields) {
    values = memory.reserve(n_fields * pitch());
  }

  int n;  ///< number of base functions
  int n_fields;
  double* values;

  /// Doubles between fields, a multiple of a cache line.
  std::size_t pitch() const { return static_cast<std::size_t>(n + n % 2) * kParts; }
  double* field(int f) const { return values + f * pitch(); }
};

/// Terms per tile, chosen so that their functions at a group of stripes stay in the cache.
inline constexpr int kTermsPerTile = 48;

/// Kernels of the Legendre stage. They sum over a group of stripes, or over base functions j = first, first +
/// 1, ... The rounding of a sum depends only on the terms of the sum and their order, not on other fields or
/// the number of fields.
struct Kernels {
  /// Computes base functions of n successive j.
  /// @param steps (j)  @param values (pair of stripes, j, latitude of the pair) q_j
  void (*functions)(const BaseStep* steps, int n, const BaseStart& start, int n_pairs, double* values);
  /// Computes the terms of one field from its n coefficients F_{m+k}, k = 0 .. n - 1, with F_{m+n} = 0:
  ///   even_j F_{m+2j} + next_j F_{m+2j+2} and odd_j F_{m+2j+1}.
  void (*coefficients_to_terms)(const BaseWeights* weights, int n, const double* coefficients, double* terms);
  /// Computes n coefficients of one field from its sums s_j (even series) and t_j (odd series):
  ///   F_{m+2j} = even_j s_j + previous_j s_{j-1},  F_{m+2j+1} = odd_j t_j.
  void (*sums_to_coefficients)(const BaseWeights* weights, int n, const double* sums, double* coefficients);
  /// f_c(mu) = sum_j q_j(mu) T_jc, j ascending, for the parts c of each field.
  /// @param functions (pair of stripes, j - first, latitude of the pair) q_j; `pitch` doubles between pairs
  /// @param blocks (stripe) blocks of field 0; even length, so that the last pair has two stripes
  /// @param queue memory to prefetch; one unit of work is one term of one field at one stripe
  void (*sum_over_terms)(const BaseSeries& terms, int first, int n_stripes, const double* functions,
                         std::size_t pitch, double* const* blocks, PrefetchQueue& queue);
  /// S_jc += sum_mu q_j(mu) f_c(mu): sums over stripes from the equator polewards, then over lanes.
  /// @param is_first whether S_jc starts from 0: for the first group of stripes, where `first` is 0
  void (*sum_over_latitudes)(const BaseSeries& sums, int first, int n_stripes, const double* functions,
                             std::size_t pitch, const double* const* blocks, bool is_first,
                             PrefetchQueue& queue);
};

/// Kernels for registers of 4 doubles (AVX2), which every supported processor has.
extern const Kernels kNarrowKernels;
/// Kernels for registers of 8 doubles (AVX-512), whose results equal those of kNarrowKernels bit for bit.
extern const Kernels kWideKernels;

inline const Kernels& fastest_kernels() {
  return has_wide_registers() ? kWideKernels : kNarrowKernels;
}

}  // namespace halcyon::transform
