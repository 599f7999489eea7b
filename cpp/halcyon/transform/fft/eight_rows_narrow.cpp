#include "halcyon/transform/fft/row_passes.hpp"

namespace halcyon::transform {
namespace {

/// Waves of the north, even + odd half, or of the south, even - odd.
struct FromHalves {
  const Halves<const double>& halves;
  double sign;
  Lanes factor;
  Number<Lanes> operator()(int m) const {
    if (m > halves.last) return {Lanes{}, Lanes{}};
    const double* block = halves.at(m);
    if (sign > 0) fetch(block + kBlock, kBlock);  // of the next field
    return {multiply_add(load(block + 2 * kLanes), sign, load(block)) * factor,
            multiply_add(load(block + 3 * kLanes), sign, load(block + kLanes)) * factor};
  }
};

/// Keeps the waves of the north.
struct Keep {
  const Halves<double>& halves;
  Lanes half_factor;
  double* north;
  void operator()(int m, const Number<Lanes>& x) const {
    if (m <= halves.last) store(north + at<Lanes>(m), Number<Lanes>{x.re * half_factor, x.im * half_factor});
  }
};

/// Makes halves of them and of those of the south.
struct Fold {
  const Halves<double>& halves;
  Lanes half_factor;
  const double* north;
  void operator()(int m, const Number<Lanes>& x) const {
    if (m > halves.last) return;
    const Number<Lanes> a = number<Lanes>(north + at<Lanes>(m)), b = {x.re * half_factor, x.im * half_factor};
    const Number<Lanes> even = a + b, odd = a - b;
    double* const to = halves.at(m);
    if (halves.past) {
      stream(to, even.re), stream(to + kLanes, even.im);
      stream(to + 2 * kLanes, odd.re), stream(to + 3 * kLanes, odd.im);
    } else {
      store(to, even), store(to + 2 * kLanes, odd);
    }
  }
};

void to_values(RowPlan& plan, const Halves<const double>& waves, double* const* rows, std::size_t ahead) {
  const Lanes factor = load(waves.factors);
  waves_to_rows<Lanes>(plan, FromHalves{waves, 1, factor}, rows, ahead);
  waves_to_rows<Lanes>(plan, FromHalves{waves, -1, factor}, rows + kLanes, ahead);
}

void to_waves(RowPlan& plan, const double* const* rows, std::size_t ahead, const Halves<double>& waves) {
  const Lanes half_factor = 0.5 * load(waves.factors);
  rows_to_waves<Lanes>(plan, rows, ahead, Keep{waves, half_factor, plan.north.data()});
  rows_to_waves<Lanes>(plan, rows + kLanes, ahead, Fold{waves, half_factor, plan.north.data()});
}

}  // namespace

const RowKernels kNarrowRows{to_values, to_waves};

}  // namespace halcyon::transform
