// Functions that return registers are inlined into their callers, so their ABI does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "halcyon/transform/fft/row_passes.hpp"

/// The kernels of eight_rows_narrow.cpp for registers of 8 doubles: the lower half of a register holds the
/// northern rows, the upper half the southern rows. A register loaded from a block holds the even or the odd
/// part of a coefficient: real parts (lower half) and imaginary parts (upper half).
namespace halcyon::transform {
namespace {

/// Returns Fourier coefficient m of all rows.
struct Unfold {
  ParityParts<const double> parts;
  Wide mu, factor;
  HALCYON_WIDE inline LaneComplex<Wide> operator()(int m) const {
    if (m > parts.largest_m) return {Wide{}, Wide{}};
    const double* block = parts.block(m);
    prefetch(block + kBlockSize, kBlockSize);  // the block of the next field
    const Wide even = load_wide(block), odd = load_wide(block + 2 * kLanes);
    const Wide north = _mm512_fmadd_pd(odd, mu, even), south = _mm512_fnmadd_pd(odd, mu, even);
    return {__builtin_shufflevector(north, south, 0, 1, 2, 3, 8, 9, 10, 11) * factor,
            __builtin_shufflevector(north, south, 4, 5, 6, 7, 12, 13, 14, 15) * factor};
  }
};

/// Stores the even and odd parts of Fourier coefficient m.
struct Fold {
  ParityParts<double> parts;
  Wide mu, half_factor;  ///< rows_to_waves returns 2 c_m
  HALCYON_WIDE inline void operator()(int m, const LaneComplex<Wide>& x) const {
    if (m > parts.largest_m) return;
    const Wide re = x.re * half_factor, im = x.im * half_factor;
    const Wide north = __builtin_shufflevector(re, im, 0, 1, 2, 3, 8, 9, 10, 11);
    const Wide south = __builtin_shufflevector(re, im, 4, 5, 6, 7, 12, 13, 14, 15);
    if (parts.non_temporal) {
      stream(parts.block(m), north + south), stream(parts.block(m) + 2 * kLanes, (north - south) * mu);
    } else {
      store(parts.block(m), north + south), store(parts.block(m) + 2 * kLanes, (north - south) * mu);
    }
  }
};

HALCYON_WIDE void to_values(RowPlan& plan, const ParityParts<const double>& waves, double* const* rows,
                            std::size_t prefetch_distance) {
  waves_to_rows<Wide>(plan, Unfold{waves, duplicate(waves.sines), duplicate(waves.factors)}, rows,
                      prefetch_distance);
}

HALCYON_WIDE void to_waves(RowPlan& plan, const double* const* rows, std::size_t prefetch_distance,
                           const ParityParts<double>& waves) {
  rows_to_waves<Wide>(plan, rows, prefetch_distance,
                      Fold{waves, duplicate(waves.sines), 0.5 * duplicate(waves.factors)});
}

}  // namespace

const RowKernels kWideRows{to_values, to_waves};

}  // namespace halcyon::transform
