#pragma once

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

}  // namespace halcyon::transform
