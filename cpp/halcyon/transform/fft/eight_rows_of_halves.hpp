#pragma once

#include "halcyon/transform/fft/row_passes.hpp"

/// The kernels of eight_rows_narrow.cpp for registers of 8 numbers, V: the lower half of a register holds the
/// northern rows, the upper half the southern rows. A register loaded from a block holds the even or the odd
/// part of a coefficient: real parts (lower half) and imaginary parts (upper half).
/// The source files that include this header, one for each V, define HALCYON_KERNEL, the attribute of
/// functions that may use the registers.
namespace halcyon::transform {
namespace {

/// Returns Fourier coefficient m of all rows.
template <class V>
struct Unfold {
  ParityParts<const Element<V>> parts;
  V mu, factor;
  HALCYON_KERNEL inline LaneComplex<V> operator()(int m) const {
    if (m > parts.largest_m) return {V{}, V{}};
    const Element<V>* block = parts.block(m);
    prefetch(block + kBlockSize, kBlockSize);  // the block of the next field
    const V even = load_as<V>(block), odd = load_as<V>(block + 2 * kLanes);
    const V north = multiply_add(odd, mu, even), south = subtract_product(odd, mu, even);
    return {__builtin_shufflevector(north, south, 0, 1, 2, 3, 8, 9, 10, 11) * factor,
            __builtin_shufflevector(north, south, 4, 5, 6, 7, 12, 13, 14, 15) * factor};
  }
};

/// Stores the even and odd parts of Fourier coefficient m.
template <class V>
struct Fold {
  ParityParts<Element<V>> parts;
  V mu, half_factor;  ///< rows_to_waves returns 2 c_m
  HALCYON_KERNEL inline void operator()(int m, const LaneComplex<V>& x) const {
    if (m > parts.largest_m) return;
    const V re = x.re * half_factor, im = x.im * half_factor;
    const V north = __builtin_shufflevector(re, im, 0, 1, 2, 3, 8, 9, 10, 11);
    const V south = __builtin_shufflevector(re, im, 4, 5, 6, 7, 12, 13, 14, 15);
    if (parts.non_temporal) {
      stream(parts.block(m), north + south), stream(parts.block(m) + 2 * kLanes, (north - south) * mu);
    } else {
      store(parts.block(m), north + south), store(parts.block(m) + 2 * kLanes, (north - south) * mu);
    }
  }
};

template <class V>
HALCYON_KERNEL void to_values(PlanOf<V>& plan, const ParityParts<const Element<V>>& waves,
                              Element<V>* const* rows, std::size_t prefetch_distance) {
  waves_to_rows<V>(plan, Unfold<V>{waves, duplicate(waves.sines), duplicate(waves.factors)}, rows,
                   prefetch_distance);
}

template <class V>
HALCYON_KERNEL void to_waves(PlanOf<V>& plan, const Element<V>* const* rows, std::size_t prefetch_distance,
                             const ParityParts<Element<V>>& waves) {
  constexpr Element<V> kHalf = 0.5;
  rows_to_waves<V>(plan, rows, prefetch_distance,
                   Fold<V>{waves, duplicate(waves.sines), kHalf * duplicate(waves.factors)});
}

}  // namespace
}  // namespace halcyon::transform
