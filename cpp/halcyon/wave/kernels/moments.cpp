#include "halcyon/wave/kernels/moments.hpp"

#include <algorithm>

namespace halcyon::wave {

MomentWeights::MomentWeights(const SpectralGrid& grid) {
  for (int m = 0; m < grid.n_frequencies; ++m) {
    const double f = grid.frequency[m], df = grid.frequency_width[m];
    const bool last = m + 1 == grid.n_frequencies;
    variance.push_back(static_cast<float>((df + (last ? f / 4 : 0)) * grid.direction_width));
    inverse_frequency.push_back(static_cast<float>((df / f + (last ? 1. / 5 : 0)) * grid.direction_width));
  }
}

void MomentSums::add(const Moments& moments, int n) {
  for (int i = 0; i < n; ++i) {
    variance += moments.variance[i];
    inverse_frequency += moments.inverse_frequency[i];
    inverse_root_wavenumber += moments.inverse_root_wavenumber[i];
    sea_variance += moments.sea_variance[i];
    sea_inverse_frequency += moments.sea_inverse_frequency[i];
  }
}

float MomentSums::mean_frequency(float otherwise) const {
  constexpr double calm = 1e-20;
  const double all = variance > calm ? variance / inverse_frequency : otherwise;
  const double sea = sea_variance > calm ? sea_variance / sea_inverse_frequency : 0;
  return static_cast<float>(std::max(all, sea));
}

}  // namespace halcyon::wave
