#include "halcyon/wave/products/sea_moments.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

SeaMoments::SeaMoments(const SpectralGrid& grid)
    : grid_(grid), spectrum_(grid.n_frequencies), by_direction_(grid.n_directions) {
  for (const double theta : grid.direction) {
    sine_.push_back(std::sin(theta));
    cosine_.push_back(std::cos(theta));
  }
}

Sea SeaMoments::of(std::span<const double> density) {
  Sea sea;
  std::ranges::fill(by_direction_, 0.);
  auto next = density.begin();
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const double f = grid_.frequency[m], df = grid_.frequency_width[m];
    double row = 0;
    for (int k = 0; k < grid_.n_directions; ++k) {
      row += *next;
      by_direction_[k] += df * *next++;
    }
    const double e = row * grid_.direction_width;
    const double tail =
        m + 1 == grid_.n_frequencies ? f : 0;  // int_f^inf (x/f)^-5 x^n dx = f^(n+1) / (4 - n)
    sea.all.m_1 += e * (df + tail / 5) / f;
    sea.all.m0 += e * (df + tail / 4);
    sea.m1 += e * (df + tail / 3) * f;
    sea.m2 += e * (df + tail / 2) * f * f;
    sea.resolved += e * df;
    spectrum_[m] = e;
    if (e > spectrum_[sea.peak]) sea.peak = m;
  }
  sea.peak_frequency = peak_frequency(sea.peak);
  add_directions(density, sea);
  return sea;
}

void SeaMoments::add_directions(std::span<const double> density, Sea& sea) const {
  const auto at_peak = density.subspan(static_cast<std::size_t>(sea.peak) * grid_.n_directions);
  for (int k = 0; k < grid_.n_directions; ++k) {
    sea.all.east += by_direction_[k] * sine_[k] * grid_.direction_width;
    sea.all.north += by_direction_[k] * cosine_[k] * grid_.direction_width;
    sea.peak_east += at_peak[k] * sine_[k];
    sea.peak_north += at_peak[k] * cosine_[k];
    sea.peak_sum += at_peak[k];
  }
}

double SeaMoments::peak_frequency(int peak) const {
  const double f = grid_.frequency[peak];
  if (peak == 0 || peak + 1 == grid_.n_frequencies) return f;
  const double below = spectrum_[peak - 1], at = spectrum_[peak], above = spectrum_[peak + 1];
  const double curvature = 2 * at - below - above;
  const double offset = curvature > 0 ? (above - below) / (2 * curvature) : 0;
  return f * std::pow(grid_.ratio, offset);
}

}  // namespace halcyon::wave
