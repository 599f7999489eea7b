#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Passes, twiddle factors and work arrays of a real transform of length L, which is computed as a complex
/// transform of length L / 2: of the values x_2k + i x_2k+1.
template <class Real>
struct BasicRowPlan {
  /// One in-place pass of radix R with P groups:
  ///   x[R P b + p + P j] = t^(p j) sum_{k=0}^{R-1} exp(2 pi i j k / R) x[R P b + p + P k],
  ///   t = exp(2 pi i / (R P)),  j = 0 .. R - 1,  p = 0 .. P - 1 (group),  b = 0 .. `stride` - 1.
  struct Pass {
    int radix, n_groups, stride;
    std::vector<Real> twiddles;  ///< (p, j = 1 .. R - 1, cosine and sine) t^(p j)
  };

  int half = 0;                  ///< number of complex values: L / 2
  std::vector<Pass> passes{};    ///< 2 or more
  std::vector<Real> twiddles{};  ///< (m = 0 .. half/2, cosine and sine) of 2 pi m / L
  /// (q) index of the first input of butterfly q of the last pass; its result j is element q + `stride` j
  std::vector<int> input_offsets{};
  BasicBuffer<Real> complex_values{};  ///< (index, real and imaginary part, lane)
  BasicBuffer<Real>
      north{};  ///< (m, real and imaginary part, lane) Fourier coefficients of the northern rows
};
using RowPlan = BasicRowPlan<double>;

/// Even and odd parts (`kBlockSize` in buffer.hpp) of the Fourier coefficients m = 0 .. largest_m < L/2 of
/// one field at a stripe; a block holds one m.
template <class T>
struct ParityParts {
  T* const* blocks;   ///< (m) blocks of the first field
  std::size_t shift;  ///< distance [numbers] from the block of the first field to that of this field
  int largest_m;
  const std::remove_const_t<T>* sines;  ///< (lane) mu of the northern row
  const std::remove_const_t<T>*
      factors;                ///< (lane) factor of the values of the northern row and its mirror image
  bool non_temporal = false;  ///< store past the caches; requires blocks aligned to cache lines

  T* block(int m) const { return blocks[m] + shift; }
};

/// Kernels that convert between the even and odd parts of Fourier coefficients ("waves") and the values of
/// the eight rows of a stripe: four northern rows and their mirror images in the south.
/// @param rows (row) the northern rows, then the southern rows
template <class Real>
struct BasicRowKernels {
  void (*to_values)(BasicRowPlan<Real>& plan, const ParityParts<const Real>& waves, Real* const* rows,
                    std::size_t prefetch_distance);
  void (*to_waves)(BasicRowPlan<Real>& plan, const Real* const* rows, std::size_t prefetch_distance,
                   const ParityParts<Real>& waves);
};
using RowKernels = BasicRowKernels<double>;

/// Kernels for registers of 4 doubles (AVX2, always supported): the northern rows, then the southern rows.
extern const RowKernels kNarrowRows;
/// Kernels for registers of 8 doubles (AVX-512), whose results equal those of kNarrowRows bit for bit.
extern const RowKernels kWideRows;
/// Kernels of 32-bit numbers for registers of 8 floats (AVX2).
extern const BasicRowKernels<float> kSingleRows;

/// Real transforms of the eight rows of a stripe at once: four northern rows and their mirror images in the
/// south, all of one length, one row per lane. The result of a row depends neither on other rows, nor on the
/// address of the row, nor on the processor. Mixed radix, in place (after Gentleman and Sande 1966, Proc.
/// AFIPS 29, 563-578). Not thread-safe.
template <class Real>
class BasicEightRowFft {
 public:
  /// Pointers to the values of the four northern rows, then the southern rows; null for a lane without a row.
  template <class T>
  using Rows = std::array<T*, 2 * kLanes>;

  /// Whether rows of this length are supported: even lengths of 12 or more without prime factors above 5.
  static bool supports(int length);
  static const BasicRowKernels<Real>& fastest_kernels();

  /// @throws InternalError for a length that is not supported
  explicit BasicEightRowFft(int length, const BasicRowKernels<Real>& kernels = fastest_kernels());

  /// x_k = sum_m c_m exp(2 pi i m k / L), |m| <= largest_m, c_-m = conj(c_m); Im c_0 is ignored.
  /// @param waves parts such that c_m = factor (even + mu odd) in the north, factor (even - mu odd) in the
  /// south
  /// @param prefetch_distance distance [numbers] of the same row of the next field, to prefetch; 0: none
  void to_values(const ParityParts<const Real>& waves, Rows<Real> rows, std::size_t prefetch_distance = 0);
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param prefetch_distance as in to_values
  /// @param waves receives even = factor (north + south) and odd = mu factor (north - south) for each c_m
  void to_waves(Rows<const Real> rows, std::size_t prefetch_distance, const ParityParts<Real>& waves);

 private:
  const BasicRowKernels<Real>& kernels_;
  BasicRowPlan<Real> plan_;
  std::vector<Real> zero_row_, unused_output_;  ///< read and written by lanes without a row
};
using EightRowFft = BasicEightRowFft<double>;

}  // namespace halcyon::transform
