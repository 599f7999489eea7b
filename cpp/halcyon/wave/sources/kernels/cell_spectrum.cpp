#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"

#include <algorithm>

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

namespace {

// Returns n rounded up to a multiple of kLanes.
int multiple_of_lanes(int n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

float* allocate(std::size_t n) {
  auto* memory = static_cast<float*>(::operator new[](n * sizeof(float), std::align_val_t{64}));
  std::fill_n(memory, n, 0.f);
  return memory;
}

}  // namespace

DirectionRows::DirectionRows(int n_frequencies, int n_directions, int pad, int n_before, int n_after)
    : n_directions_(n_directions),
      pad_(multiple_of_lanes(pad)),
      length_(multiple_of_lanes(n_directions)),
      stride_(length_ + 2 * pad_ + kLanes),
      memory_(allocate(static_cast<std::size_t>(n_before + n_frequencies + n_after) * stride_)),
      first_row_(memory_.get() + static_cast<std::ptrdiff_t>(n_before) * stride_ + pad_) {}

void DirectionRows::wrap(float* row) const {
  for (int j = -pad_; j < 0; j += kLanes) store(row + j, load(row + n_directions_ + j));
  for (int j = n_directions_; j < length_ + pad_; j += kLanes) store(row + j, load(row + j - n_directions_));
}

// The f^-5 tail adds int_f^inf (x/f)^-5 x^n dx = f^(n+1) / (4 - n), with sqrt(k) proportional to f.
MomentWeights::MomentWeights(const SpectralGrid& grid) {
  for (int i = 0; i < grid.n_frequencies; ++i) {
    const double f = grid.frequency[i], df = grid.frequency_width[i], width = grid.direction_width;
    const double tail = i + 1 == grid.n_frequencies ? f : 0;
    variance.push_back(static_cast<float>((df + tail / 4) * width));
    inverse_frequency.push_back(static_cast<float>((df / f + tail / (5 * f)) * width));
    frequency.push_back(static_cast<float>((df + tail / 3) * f * width));
    frequency_squared.push_back(static_cast<float>(df * f * f * width));
    inverse_root_wavenumber.push_back(static_cast<float>((df + tail / 5) * width));
    root_wavenumber.push_back(static_cast<float>((df + tail / 3) * width));
  }
}

void MomentSums::add(const Moments& moments, int n) {
  for (int i = 0; i < n; ++i) {
    variance += moments.variance[i];
    inverse_frequency += moments.inverse_frequency[i];
    frequency += moments.frequency[i];
    frequency_squared += moments.frequency_squared[i];
    inverse_root_wavenumber += moments.inverse_root_wavenumber[i];
    root_wavenumber += moments.root_wavenumber[i];
  }
}

void MomentSums::add(const MeanFrequencyMoments& moments, int n) {
  for (int i = 0; i < n; ++i) {
    wind_sea_variance += moments.variance[i];
    wind_sea_inverse_frequency += moments.inverse_frequency[i];
  }
}

float MomentSums::mean_frequency(float calm_value) const {
  const double all_waves = is_calm() ? calm_value : variance / inverse_frequency;
  const double wind_sea = wind_sea_variance > 1e-20 ? wind_sea_variance / wind_sea_inverse_frequency : 0;
  return static_cast<float>(std::max(all_waves, wind_sea));
}

}  // namespace halcyon::wave
