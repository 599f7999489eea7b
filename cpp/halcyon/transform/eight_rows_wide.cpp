// Functions that give registers are compiled into those that call them.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "halcyon/transform/row_waves.hpp"

/// Rows of the north are in the first half of a register, those of the south in the second one.
namespace halcyon::transform {
namespace {

struct FromHalves {
  const Halves<const double>& halves;
  HALCYON_WIDE inline Number<Wide> operator()(int m) const {
    if (m > halves.last) return {Wide{}, Wide{}};
    const double* block = halves.at(m);
    fetch_not_near(block + kBlock, kBlock);  // of the next field
    const Wide factor = twice(halves.factors), sign = {1, 1, 1, 1, -1, -1, -1, -1};
    return {_mm512_fmadd_pd(twice(block + 2 * kLanes), sign, twice(block)) * factor,
            _mm512_fmadd_pd(twice(block + 3 * kLanes), sign, twice(block + kLanes)) * factor};
  }
};

struct Fold {
  const Halves<double>& halves;
  HALCYON_WIDE inline void operator()(int m, const Number<Wide>& x) const {
    if (m > halves.last) return;
    const Wide factor = twice(halves.factors), re = x.re * factor, im = x.im * factor;
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
                            Fetching fetching) {
  waves_to_rows<Wide>(plan, FromHalves{waves}, rows, fetching);
}

HALCYON_WIDE void to_waves(RowPlan& plan, const double* const* rows, std::size_t ahead,
                           const Halves<double>& waves) {
  rows_to_waves<Wide>(plan, rows, ahead, Fold{waves});
}

}  // namespace

const RowKernels kWideRows{to_values, to_waves};

}  // namespace halcyon::transform
