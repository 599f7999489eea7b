#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// How rows of a length are transformed, and memory for it.
struct RowPlan {
  /// A factor of the transform, in place: x[R P b + p + P j] = t^(p j) sum_k exp(2 pi i j k / R) x[R P b + p
  /// + P k], of groups p = 0 .. P - 1 of s butterflies b of radix R; t = exp(2 pi i / (R P)).
  struct Pass {
    int radix, n_groups, stride;
    std::vector<double> turns;  ///< (p, j = 1 .. R - 1, cosine and sine)
  };

  int half = 0;                 ///< of the length: complex values
  std::vector<Pass> passes{};   ///< 2 or more
  std::vector<double> turns{};  ///< (m = 0..half/2, cosine and sine) of 2 pi m / L
  std::vector<int> places{};    ///< (q) in the last pass: butterfly q, of results q + s j, begins there
  Buffer numbers{};             ///< (complex value, real and imaginary part, lane)
  Buffer north{};               ///< (m, real and imaginary part, lane), of rows of the north
};

/// Halves of waves of a field, at blocks[m] + shift, of m = 0 .. last, below L/2.
template <class T>
struct Halves {
  T* const* blocks;
  std::size_t shift;
  int last;
  const double* factors;  ///< (lane) that they are multiplied with on their way
  bool past = false;      ///< written past the caches, on boundaries of cache lines

  T* at(int m) const { return blocks[m] + shift; }
};

/// Between halves of waves and the values of eight rows, four of the north and those as far south.
struct RowKernels {
  void (*to_values)(RowPlan& plan, const Halves<const double>& waves, double* const* rows, std::size_t ahead);
  void (*to_waves)(RowPlan& plan, const double* const* rows, std::size_t ahead, const Halves<double>& waves);
};

/// By registers of 4 numbers, which every processor of the level has, north and then south.
extern const RowKernels kNarrowRows;
/// By registers of 8 (AVX-512), where the processor has them: the same bits.
extern const RowKernels kWideRows;

/// Real transforms of the eight rows of a stripe at once, four of the north and those as far south, all of
/// one length and each in a lane of its own: what becomes of a row does not depend on the others, nor on
/// where it lies, nor on the processor. Mixed radix, in place (after Gentleman and Sande 1966, Proc.
/// AFIPS 29, 563-578). Not for threads at once.
class EightRows {
 public:
  /// Values of rows, north and south; none where a lane has no row.
  template <class T>
  using Rows = std::array<T*, 2 * kLanes>;

  /// Whether it serves rows of so many values: an even number from 12 on without primes above 5.
  static bool has(int length);
  static const RowKernels& fastest_kernels();

  /// @throws InternalError where there is none for such a length
  explicit EightRows(int length, const RowKernels& kernels = fastest_kernels());

  /// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m; the
  /// imaginary part of m = 0 is taken for 0.
  /// @param ahead how many numbers beyond those of the rows the next ones stand, which are fetched meanwhile;
  ///        0 where there are none
  void to_values(const Halves<const double>& waves, Rows<double> rows, std::size_t ahead = 0);
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param ahead as there
  void to_waves(Rows<const double> rows, std::size_t ahead, const Halves<double>& waves);

 private:
  const RowKernels& kernels_;
  RowPlan plan_;
  std::vector<double> nothing_, spare_;  ///< rows of lanes that have none
};

}  // namespace halcyon::transform
