#include "halcyon/wave/spectra.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

SpectralGrid::SpectralGrid(int n_frequencies, double first_frequency, double ratio, int n_directions)
    : n_frequencies(n_frequencies), n_directions(n_directions), ratio(ratio) {
  require<ConfigError>(n_frequencies >= 3 && n_directions >= 8,
                       "A spectrum needs at least 3 frequencies and 8 directions, not {} and {}.",
                       n_frequencies, n_directions);
  require<ConfigError>(first_frequency > 0 && ratio > 1,
                       "The first frequency must be positive and the ratio above 1, not {} Hz and {}.",
                       first_frequency, ratio);
  direction_width = kTwoPi / n_directions;
  for (int f = 0; f < n_frequencies; ++f) {
    frequency.push_back(first_frequency * std::pow(ratio, f));
    sigma.push_back(kTwoPi * frequency.back());
  }
  for (int f = 0; f < n_frequencies; ++f) {
    const double below = f == 0 ? frequency[f] : frequency[f - 1];
    const double above = f + 1 == n_frequencies ? frequency[f] : frequency[f + 1];
    frequency_width.push_back((above - below) / 2);
  }
  for (int m = 0; m < n_directions; ++m) direction.push_back((m + 0.5) * direction_width);
}

double jonswap_density(const Jonswap& sea, double frequency) {
  const double x = frequency / sea.peak_frequency, width = x > 1 ? 0.09 : 0.07;
  const double r = std::exp(-(x - 1) * (x - 1) / (2 * width * width));
  return sea.alpha * kGravity * kGravity * std::pow(kTwoPi, -4) * std::pow(frequency, -5) *
         std::exp(-1.25 * std::pow(x, -4)) * std::pow(sea.gamma, r);
}

void write_jonswap(const SpectralGrid& grid, const Jonswap& sea, std::span<float> action) {
  require<ConfigError>(
      sea.peak_frequency > 0 && sea.gamma > 0 && sea.alpha >= 0,
      "A JONSWAP sea has peak frequency {} Hz, gamma {} and alpha {}; peak frequency and gamma must "
      "be positive, and alpha >= 0.",
      sea.peak_frequency, sea.gamma, sea.alpha);
  auto next_bin = action.begin();
  for (int f = 0; f < grid.n_frequencies; ++f) {
    const double frequency_action = jonswap_density(sea, grid.frequency[f]) / grid.sigma[f];
    for (const double theta : grid.direction) {
      const double cosine = std::max(0., std::cos(theta - sea.direction));
      *next_bin++ = static_cast<float>(frequency_action * 2 / kPi * cosine * cosine);
    }
  }
}

Jonswap fetch_law(double fetch, double eastward_wind, double northward_wind, double highest_peak,
                  bool cap_light_winds) {
  const double speed = std::hypot(eastward_wind, northward_wind);
  if (speed < 1e-3) return {.peak_frequency = highest_peak, .alpha = 0};  // calm
  const double peak = 3.5 * kGravity / speed * std::pow(kGravity * fetch / (speed * speed), -0.33);
  const double fully_developed = 0.13 * kGravity / speed;
  const double frequency = cap_light_winds ? std::min(std::max(peak, fully_developed), highest_peak)
                                           : std::max(std::min(peak, highest_peak), fully_developed);
  const double alpha = std::max(0.0081, 0.033 * std::pow(frequency * speed / kGravity, 2. / 3));
  const double direction = std::atan2(eastward_wind, northward_wind);
  return {.peak_frequency = frequency, .alpha = alpha, .gamma = 3, .direction = direction};
}

void set_fetch_law(View<float, 3> action, CellRange cells, const SpectralGrid& grid, const WindField& wind,
                   double fetch, bool cap_light_winds) {
  require<ConfigError>(fetch > 0, "initial.fetch must be positive, not {} m. A usual value is 30000.", fetch);
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    write_jonswap(grid, fetch_law(fetch, wind.eastward[i], wind.northward[i], kHighestPeak, cap_light_winds),
                  {action.row(i, 0).data(), static_cast<std::size_t>(grid.n_bins())});
  }
}

void set_calm(View<float, 3> action, CellRange cells) {
  for (LocalIndex i = cells.begin; i < cells.end; ++i)
    std::fill_n(action.row(i, 0).data(), action.extent(1) * action.extent(2), 0.f);
}

}  // namespace halcyon::wave
