#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

inline constexpr int kStripesPerGroup =
    16;  ///< stripes per group; fixed, since the order of sums determines the bits

/// The coefficients of one wavenumber and parity (n - m even or odd) of all fields: the terms of the sums
/// over n.
struct ParityTerms {
  static constexpr int kStride = 4;  ///< doubles between consecutive coefficients of one parity

  int n;
  std::size_t first;      ///< index of the first Legendre function
  std::size_t half;       ///< offset of the parity in a block
  const double* field_0;  ///< coefficients of field 0: (term), complex, `kStride` doubles apart
  std::size_t stride;     ///< doubles between fields

  const double* field(int field) const { return field_0 + field * stride; }
};

/// The coefficients of one wavenumber and parity as results of sums over latitudes, in pairs of fields.
struct ParitySums {
  int n;
  std::size_t first, half;
  double* columns;  ///< (pair of fields, term, real parts of both fields and then imaginary parts)

  /// Doubles per pair of fields, padded to cache lines.
  static std::size_t pitch(int n) { return static_cast<std::size_t>(n + n % 2) * 4; }
  double* pair(int pair) const { return columns + pair * pitch(n); }
};

/// Returns the terms with even and with odd n - m.
/// @param n number of coefficients of both parities
/// @param n_even_functions number of Legendre functions with even n - m, which are stored first
/// @param coefficients coefficients of field 0: (n - m), complex
std::array<ParityTerms, 2> parity_terms(int n, int n_even_functions, const double* coefficients,
                                        std::size_t stride);
std::array<ParitySums, 2> parity_sums(int n, int n_even_functions, int n_fields, Buffer& columns);

/// Stores the sums of both parities as coefficients, (n - m) complex, of a pair of fields. For a single
/// field, `first` and `second` are equal.
void store_coefficients(const std::array<ParitySums, 2>& both, int pair, double* first, double* second);

inline constexpr int kTermsPerTile =
    48;  ///< terms per tile, whose functions at a group of stripes stay in the cache

/// Kernels of the Legendre stage. They sum one parity at a group of stripes. The rounding of a result depends
/// only on its own terms and their order, neither on other fields nor on the number of fields.
struct Kernels {
  /// `legendre_functions` of polynomials.hpp.
  void (*functions)(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                    double* values);
  /// x_c(mu) = sum_n P_n(mu) X_nc, n ascending.
  /// @param functions (pair of stripes, term, lane); `pitch` doubles between pairs
  /// @param blocks (stripe) blocks of field 0, for both stripes of each pair
  /// @param queue memory to prefetch; its unit of work is terms x stripes x fields
  void (*sum_over_terms)(const ParityTerms& terms, int n_fields, int n_stripes, const double* functions,
                         std::size_t pitch, double* const* blocks, PrefetchQueue& queue);
  /// X_nc += sum_mu P_n(mu) x_c(mu): first over stripes from the equator polewards, then over lanes.
  /// @param is_first whether X_nc starts from 0
  void (*sum_over_latitudes)(const ParitySums& sums, int n_fields, int n_stripes, const double* functions,
                             std::size_t pitch, const double* const* blocks, bool is_first,
                             PrefetchQueue& queue);
};

/// Kernels for registers of 4 doubles (AVX2), which every supported processor has.
extern const Kernels kNarrowKernels;
/// Kernels for registers of 8 doubles (AVX-512); bitwise equal results.
extern const Kernels kWideKernels;

inline const Kernels& fastest_kernels() {
  return has_wide_registers() ? kWideKernels : kNarrowKernels;
}

}  // namespace halcyon::transform
