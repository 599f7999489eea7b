#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Stripes (buffer.hpp) that are summed together; the same for all processors, since it determines the bits.
inline constexpr int kStripesPerGroup = 16;

/// The coefficients F_nm of one m and one parity (n - m even or odd) of all fields: terms of sums over n.
struct ParityTerms {
  static constexpr int kStride = 4;  ///< doubles from one complex coefficient to the next of the same parity

  int n;                     ///< number of terms
  std::size_t function_0;    ///< index of the Legendre function of the first term
  std::size_t shift;         ///< offset [doubles] of the even or odd part in a block
  const double* field_0;     ///< (term) complex coefficients of field 0, `kStride` doubles apart
  std::size_t field_stride;  ///< [doubles]

  const double* field(int field) const { return field_0 + field * field_stride; }
};

/// The coefficients F_nm of one m and one parity of all fields, computed as sums over latitudes.
struct ParitySums {
  int n;                          ///< number of coefficients
  std::size_t function_0, shift;  ///< as in ParityTerms
  /// (pair of fields, coefficient, [real part of field 1, of field 2, imaginary part of field 1, of field 2])
  double* values;

  /// Doubles per pair of fields with n coefficients each, padded to cache lines.
  static std::size_t pitch(int n) { return static_cast<std::size_t>(n + n % 2) * 4; }
  double* values_of_pair(int pair) const { return values + pair * pitch(n); }
};

/// Returns the terms with even n - m, and the terms with odd n - m.
/// @param n total number of coefficients
/// @param n_even_functions number of Legendre functions with even n - m, which are stored first
/// @param coefficients (n - m) complex coefficients of field 0
std::array<ParityTerms, 2> parity_terms(int n, int n_even_functions, const double* coefficients,
                                        std::size_t field_stride);
/// Returns the sums with even n - m, and the sums with odd n - m, whose values are stored in a buffer.
std::array<ParitySums, 2> parity_sums(int n, int n_even_functions, int n_fields, Buffer& values);

/// Stores the sums of both parities as complex coefficients, indexed by n - m, of a pair of fields.
/// @param field_1, field_2 coefficients of the two fields; equal if the pair has only one field
void store_coefficients(const std::array<ParitySums, 2>& sums, int pair, double* field_1, double* field_2);

/// Terms per tile, chosen so that their functions at a group of stripes stay in the cache.
inline constexpr int kTermsPerTile = 48;

/// Kernels of the Legendre stage. They sum one parity at a group of stripes. The rounding of a sum depends
/// only on the terms of the sum and their order, not on other fields or the number of fields.
struct Kernels {
  /// `legendre_functions` of polynomials.hpp.
  void (*functions)(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                    double* values);
  /// f_c(mu) = sum_n P_nm(mu) F_nc, n ascending, for real and imaginary part c of each field.
  /// @param functions (pair of stripes, term, latitude of the pair) P_nm; `pitch` doubles between pairs
  /// @param blocks (stripe) blocks of field 0; even length, so that the last pair has two stripes
  /// @param queue memory to prefetch; one unit of work is one term of one field at one stripe
  void (*sum_over_terms)(const ParityTerms& terms, int n_fields, int n_stripes, const double* functions,
                         std::size_t pitch, double* const* blocks, PrefetchQueue& queue);
  /// F_nc += sum_mu P_nm(mu) f_c(mu): sums over stripes from the equator polewards, then over lanes.
  /// @param is_first whether F_nc starts from 0: for the first group of stripes
  void (*sum_over_latitudes)(const ParitySums& sums, int n_fields, int n_stripes, const double* functions,
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
