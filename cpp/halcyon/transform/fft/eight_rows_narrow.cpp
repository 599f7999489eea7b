// Kernels for registers of 4 doubles (AVX2). `factor`: by which the values of each row (lane) are
// multiplied, such as 1 / cos(latitude) in syntheses of winds and the quadrature weight in analyses.
#include "halcyon/transform/fft/row_passes.hpp"

namespace halcyon::transform {
namespace {

/// Returns Fourier coefficient m of the northern rows (even + mu odd) or of the southern rows, whose mu
/// is negative.
struct Unfold {
  const ParityParts<const double>& parts;
  Lanes mu;
  Lanes factor;
  LaneComplex<Lanes> operator()(int m) const {
    if (m > parts.largest_m) return {Lanes{}, Lanes{}};
    const double* block = parts.block(m);
    if (mu[0] >= 0) prefetch(block + kBlockSize, kBlockSize);  // the block of the next field
    return {multiply_add(load(block + 2 * kLanes), mu, load(block)) * factor,
            multiply_add(load(block + 3 * kLanes), mu, load(block + kLanes)) * factor};
  }
};

/// Stores the Fourier coefficients of the northern rows.
struct StoreNorth {
  const ParityParts<double>& parts;
  Lanes half_factor;
  double* north;
  void operator()(int m, const LaneComplex<Lanes>& x) const {
    if (m <= parts.largest_m)
      store(north + complex_offset<Lanes>(m), LaneComplex<Lanes>{x.re * half_factor, x.im * half_factor});
  }
};

/// Stores even and odd parts, from the coefficients of the southern rows and those of `StoreNorth`.
struct Fold {
  const ParityParts<double>& parts;
  Lanes mu, half_factor;
  const double* north;  ///< stored by StoreNorth
  void operator()(int m, const LaneComplex<Lanes>& south) const {
    if (m > parts.largest_m) return;
    const LaneComplex<Lanes> scaled_north = load_complex<Lanes>(north + complex_offset<Lanes>(m)),
                             scaled_south = {south.re * half_factor, south.im * half_factor};
    const LaneComplex<Lanes> even = scaled_north + scaled_south, difference = scaled_north - scaled_south;
    const LaneComplex<Lanes> odd{difference.re * mu, difference.im * mu};
    double* const block = parts.block(m);
    if (parts.non_temporal) {
      stream(block, even.re), stream(block + kLanes, even.im);
      stream(block + 2 * kLanes, odd.re), stream(block + 3 * kLanes, odd.im);
    } else {
      store(block, even), store(block + 2 * kLanes, odd);
    }
  }
};

void to_values(RowPlan& plan, const ParityParts<const double>& waves, double* const* rows,
               std::size_t prefetch_distance) {
  const Lanes mu = load(waves.sines), factor = load(waves.factors);
  waves_to_rows<Lanes>(plan, Unfold{waves, mu, factor}, rows, prefetch_distance);
  waves_to_rows<Lanes>(plan, Unfold{waves, -mu, factor}, rows + kLanes, prefetch_distance);
}

void to_waves(RowPlan& plan, const double* const* rows, std::size_t prefetch_distance,
              const ParityParts<double>& waves) {
  const Lanes half_factor = 0.5 * load(waves.factors);  // rows_to_waves returns 2 c_m
  rows_to_waves<Lanes>(plan, rows, prefetch_distance, StoreNorth{waves, half_factor, plan.north.data()});
  rows_to_waves<Lanes>(plan, rows + kLanes, prefetch_distance,
                       Fold{waves, load(waves.sines), half_factor, plan.north.data()});
}

}  // namespace

const RowKernels kNarrowRows{to_values, to_waves};

}  // namespace halcyon::transform
