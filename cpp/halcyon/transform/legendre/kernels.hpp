#pragma once

#include <cstddef>
#include <span>

#include "halcyon/transform/legendre/parity.hpp"
#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/ahead.hpp"
#include "halcyon/transform/registers/processor.hpp"

namespace halcyon::transform {

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
