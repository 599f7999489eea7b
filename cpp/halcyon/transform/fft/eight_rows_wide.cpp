// Functions that give registers are compiled into those that call them.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "halcyon/transform/fft/row_passes.hpp"

/// Rows of the north are in the first half of a register, those of the south in the second one.
namespace halcyon::transform {
namespace {

struct FromHalves {
  Halves<const double> halves;
  Wide factor;
  HALCYON_WIDE inline Number<Wide> operator()(int m) const {
    if (m > halves.last) return {Wide{}, Wide{}};
    const double* block = halves.at(m);
    fetch(block + kBlock, kBlock);  // of the next field
    const Wide even = load_wide(block), odd = load_wide(block + 2 * kLanes);
    const Wide north = even + odd, south = even - odd;
    return {__builtin_shufflevector(north, south, 0, 1, 2, 3, 8, 9, 10, 11) * factor,
            __builtin_shufflevector(north, south, 4, 5, 6, 7, 12, 13, 14, 15) * factor};
  }
};

struct Fold {
  Halves<double> halves;
  Wide half_factor;
  HALCYON_WIDE inline void operator()(int m, const Number<Wide>& x) const {
    if (m > halves.last) return;
    const Wide re = x.re * half_factor, im = x.im * half_factor;
    const Wide north = __builtin_shufflevector(re, im, 0, 1, 2, 3, 8, 9, 10, 11);
    const Wide south = __builtin_shufflevector(re, im, 4, 5, 6, 7, 12, 13, 14, 15);
    if (halves.past) {
      stream(halves.at(m), north + south);
      stream(halves.at(m) + 2 * kLanes, north - south);
    } else {
      store(halves.at(m), north + south);
      store(halves.at(m) + 2 * kLanes, north - south);
    }
  }
};

HALCYON_WIDE void to_values(RowPlan& plan, const Halves<const double>& waves, double* const* rows,
                            std::size_t ahead) {
  waves_to_rows<Wide>(plan, FromHalves{waves, twice(waves.factors)}, rows, ahead);
}

HALCYON_WIDE void to_waves(RowPlan& plan, const double* const* rows, std::size_t ahead,
                           const Halves<double>& waves) {
  rows_to_waves<Wide>(plan, rows, ahead, Fold{waves, 0.5 * twice(waves.factors)});
}

}  // namespace

const RowKernels kWideRows{to_values, to_waves};

}  // namespace halcyon::transform
