#include "halcyon/wave/products/sea_systems.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

namespace {

constexpr double kDriven = 1.7;
constexpr double kWindSeaShare = 1. / 3;
constexpr double kLeastSwell = 0.05 * 0.05 / 16;  // [m2], 5 cm of significant height

}  // namespace

SeaSystems::SeaSystems(const SpectralGrid& grid) : grid_(grid), partitions_(grid), place_(grid.n_bins(), -1) {
  for (const double theta : grid.direction) {
    sine_.push_back(std::sin(theta));
    cosine_.push_back(std::cos(theta));
  }
}

void SeaSystems::add(std::span<const double> density, std::span<const float> wavenumber, double eastward_wind,
                     double northward_wind, Sea& sea) {
  collect(density, wavenumber, eastward_wind, northward_wind);
  const auto swells =
      std::ranges::partition(found_, [](const Found& f) { return f.driven > kWindSeaShare * f.system.m0; });
  for (const auto& each : found_) place_[each.peak] = -1;
  std::ranges::sort(swells, [](const Found& a, const Found& b) {
    return a.system.m0 != b.system.m0 ? a.system.m0 > b.system.m0 : a.peak < b.peak;
  });
  std::sort(found_.begin(), swells.begin(), [](const Found& a, const Found& b) { return a.peak < b.peak; });
  for (auto each = found_.begin(); each != swells.begin(); ++each) sea.wind_sea += each->system;
  for (std::size_t i = 0; i < swells.size(); ++i) {
    sea.swell += swells[i].system;
    if (i < sea.swells.size() && swells[i].system.m0 >= kLeastSwell) sea.swells[i] = swells[i].system;
  }
}

void SeaSystems::collect(std::span<const double> density, std::span<const float> wavenumber,
                         double eastward_wind, double northward_wind) {
  found_.clear();
  const auto peaks = partitions_.divide(density);
  for (int m = 0, bin = 0; m < grid_.n_frequencies; ++m) {
    const double f = grid_.frequency[m], df = grid_.frequency_width[m] * grid_.direction_width;
    const double tail = m + 1 == grid_.n_frequencies ? f * grid_.direction_width : 0;
    const double phase_speed = grid_.sigma[m] / wavenumber[m];
    for (int k = 0; k < grid_.n_directions; ++k, ++bin) {
      if (peaks[bin] < 0) continue;
      auto& each = found_at(peaks[bin]);
      const double variance = density[bin] * (df + tail / 4), resolved = density[bin] * df;
      each.system +=
          {variance, density[bin] * (df + tail / 5) / f, resolved * sine_[k], resolved * cosine_[k]};
      if (kDriven * (eastward_wind * sine_[k] + northward_wind * cosine_[k]) > phase_speed)
        each.driven += variance;
    }
  }
}

SeaSystems::Found& SeaSystems::found_at(int peak) {
  if (place_[peak] < 0) {
    place_[peak] = static_cast<int>(found_.size());
    found_.push_back({peak, {}, 0});
  }
  return found_[place_[peak]];
}

}  // namespace halcyon::wave
