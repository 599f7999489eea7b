#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// Passes, twiddle factors and work arrays of a real transform of one row length.
struct RowPlan {
  /// One in-place pass: x[R P b + p + P j] = t^(p j) sum_k exp(2 pi i j k / R) x[R P b + p + P k], for groups
  /// p = 0 .. P - 1, `stride` butterflies b and radix R; t = exp(2 pi i / (R P)).
  struct Pass {
    int radix, n_groups, stride;
    std::vector<double> twiddles;  ///< (p, j = 1 .. R - 1, cosine and sine)
  };

  int half = 0;                    ///< number of complex values: half the row length
  std::vector<Pass> passes{};      ///< 2 or more
  std::vector<double> twiddles{};  ///< (m = 0..half/2, cosine and sine) of 2 pi m / L
  std::vector<int> offsets{};  ///< (q) first input of butterfly q of the last pass, whose results are q + s j
  Buffer numbers{};            ///< (complex value, real and imaginary part, lane)
  Buffer north{};  ///< (m, real and imaginary part, lane), Fourier coefficients of the northern rows
};

/// Even and odd (symmetric and antisymmetric) parts of the Fourier coefficients m = 0 .. last < L/2 of a
/// field, at blocks[m] + shift.
template <class T>
struct ParityParts {
  T* const* blocks;
  std::size_t shift;
  int last;
  const double* factors;      ///< (lane) factor of the row pair
  bool non_temporal = false;  ///< use non-temporal stores; requires blocks aligned to cache lines

  T* at(int m) const { return blocks[m] + shift; }
};

/// Kernels that convert between the even and odd parts of Fourier coefficients and the values of eight rows:
/// four northern rows and their mirror images in the south.
struct RowKernels {
  void (*to_values)(RowPlan& plan, const ParityParts<const double>& waves, double* const* rows,
                    std::size_t prefetch_distance);
  void (*to_waves)(RowPlan& plan, const double* const* rows, std::size_t prefetch_distance,
                   const ParityParts<double>& waves);
};

/// Kernels for registers of 4 doubles (AVX2), which every supported processor has; they compute northern and
/// then southern rows.
extern const RowKernels kNarrowRows;
/// Kernels for registers of 8 doubles (AVX-512); bitwise equal results.
extern const RowKernels kWideRows;

/// Real transforms of the eight rows of a stripe at once: four northern rows and their mirror images in the
/// south, all of one length, one row per lane. The result of a row depends neither on the other rows, nor on
/// its address, nor on the processor. Mixed radix, in place (after Gentleman and Sande 1966, Proc. AFIPS 29,
/// 563-578). Not thread-safe.
class EightRowFft {
 public:
  /// Pointers to the values of the northern and then the southern rows; null for a lane without a row.
  template <class T>
  using Rows = std::array<T*, 2 * kLanes>;

  /// Whether rows of this length are supported: even lengths of 12 or more without prime factors above 5.
  static bool supports(int length);
  static const RowKernels& fastest_kernels();

  /// @throws InternalError for a length that is not supported
  explicit EightRowFft(int length, const RowKernels& kernels = fastest_kernels());

  /// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m; the
  /// imaginary part of c_0 is ignored.
  /// @param prefetch_distance distance [doubles] to the rows of the next field, which are prefetched; 0: no
  ///        prefetch
  void to_values(const ParityParts<const double>& waves, Rows<double> rows,
                 std::size_t prefetch_distance = 0);
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param prefetch_distance as in to_values
  void to_waves(Rows<const double> rows, std::size_t prefetch_distance, const ParityParts<double>& waves);

 private:
  const RowKernels& kernels_;
  RowPlan plan_;
  std::vector<double> zero_row_, unused_output_;  ///< input and output of lanes without a row
};

}  // namespace halcyon::transform
