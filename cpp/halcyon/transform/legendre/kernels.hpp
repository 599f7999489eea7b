#pragma once

#include <cstddef>
#include <type_traits>

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
template <class Real>
struct BasicBaseSeries {
  static constexpr int kParts = 4;

  BasicBaseSeries(int n, int n_fields, BasicBuffer<Real>& memory) : n(n), n_fields(n_fields) {
    values = memory.reserve(n_fields * pitch());
  }

  int n;  ///< number of base functions
  int n_fields;
  Real* values;

  /// Numbers between fields, a multiple of a cache line.
  std::size_t pitch() const { return static_cast<std::size_t>(n + n % 2) * kParts; }
  Real* field(int f) const { return values + f * pitch(); }
};
using BaseSeries = BasicBaseSeries<double>;

/// Terms per tile, chosen so that their functions at a group of stripes stay in the cache.
inline constexpr int kTermsPerTile = 48;

template <class Real>
using FunctionsKernel = void (*)(const BaseStep* steps, int n, const BaseStart& start, int n_pairs,
                                 Real* values);

/// Kernels of the Legendre stage, for numbers of 64 or of 32 bits; the recurrences have 64 bits, since their
/// rounding errors grow with the degree. They sum over a group of stripes, or over base functions j = first,
/// first + 1, ... The rounding of a sum depends only on the terms of the sum and their order, not on other
/// fields or the number of fields.
template <class Real>
struct BasicKernels {
  /// Computes base functions of n successive j.
  /// @param steps (j)  @param values (pair of stripes, j, latitude of the pair) q_j
  FunctionsKernel<Real> functions;
  /// Computes the terms of one field from its n coefficients F_{m+k}, k = 0 .. n - 1, with F_{m+n} = 0:
  ///   even_j F_{m+2j} + next_j F_{m+2j+2} and odd_j F_{m+2j+1}.
  void (*coefficients_to_terms)(const BasicBaseWeights<Real>* weights, int n, const Real* coefficients,
                                Real* terms);
  /// Computes n coefficients of one field from its sums s_j (even series) and t_j (odd series):
  ///   F_{m+2j} = even_j s_j + previous_j s_{j-1},  F_{m+2j+1} = odd_j t_j.
  void (*sums_to_coefficients)(const BasicBaseWeights<Real>* weights, int n, const Real* sums,
                               Real* coefficients);
  /// f_c(mu) = sum_j q_j(mu) T_jc, j ascending, for the parts c of each field.
  /// @param functions (pair of stripes, j - first, latitude of the pair) q_j; `pitch` numbers between pairs
  /// @param blocks (stripe) blocks of field 0; even length, so that the last pair has two stripes
  /// @param queue memory to prefetch; one unit of work is one term of one field at one stripe
  void (*sum_over_terms)(const BasicBaseSeries<Real>& terms, int first, int n_stripes, const Real* functions,
                         std::size_t pitch, Real* const* blocks, PrefetchQueue& queue);
  /// S_jc += sum_mu q_j(mu) f_c(mu): sums over stripes from the equator polewards, then over lanes.
  /// @param is_first whether S_jc starts from 0: for the first group of stripes, where `first` is 0
  void (*sum_over_latitudes)(const BasicBaseSeries<Real>& sums, int first, int n_stripes,
                             const Real* functions, std::size_t pitch, const Real* const* blocks,
                             bool is_first, PrefetchQueue& queue);
};
using Kernels = BasicKernels<double>;

/// Kernels for registers of 4 doubles (AVX2), which every supported processor has.
extern const Kernels kNarrowKernels;
/// Kernels for registers of 8 doubles (AVX-512), whose results equal those of kNarrowKernels bit for bit.
extern const Kernels kWideKernels;
/// The first kernel for 32-bit numbers, without and with AVX-512; the same bits.
extern const FunctionsKernel<float> kNarrowSingleFunctions, kWideSingleFunctions;
/// Kernels of 32-bit numbers, for registers of 8 floats (AVX2).
BasicKernels<float> single_kernels();

template <class Real>
BasicKernels<Real> fastest_kernels() {
  if constexpr (std::is_same_v<Real, float>) {
    return single_kernels();
  } else {
    return has_wide_registers() ? kWideKernels : kNarrowKernels;
  }
}

}  // namespace halcyon::transform
