#include "halcyon/wave/wind/fvwam.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

constexpr double kLargestRadius = 800e3, kSmallestRadius = 10;  // [m]

// Returns Vg [m s-1] at a distance r [m] and a latitude [rad], see FvwamWind.
double gradient_wind(double r, double latitude, const FvwamVortex& vortex, double air_density) {
  if (r > kLargestRadius) return 0;
  const double s = std::pow(vortex.radius / r, vortex.shape), half_rf = r * std::abs(coriolis(latitude)) / 2;
  const double cyclostrophic = vortex.deficit * vortex.shape / air_density * s * std::exp(-s);
  return std::sqrt(cyclostrophic + half_rf * half_rf) - half_rf;
}

}  // namespace

FvwamWind::FvwamWind(std::vector<double> times_s, std::vector<FvwamVortex> records, FvwamSurface surface)
    : times_(std::move(times_s), records.size()), records_(std::move(records)), surface_(surface) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const FvwamVortex& vortex = records_[i];
    const double sum = vortex.latitude + vortex.longitude + vortex.radius + vortex.shape + vortex.deficit +
                       vortex.eastward + vortex.northward;
    require<InputError>(
        std::isfinite(sum) && vortex.radius > 0 && vortex.shape > 0 && vortex.deficit >= 0,
        "Vortex record {}: radius {} m, shape B {} and pressure deficit {} Pa must be finite and above 0.", i,
        vortex.radius, vortex.shape, vortex.deficit);
  }
}

FvwamVortex FvwamWind::vortex(double time_s) const {
  const auto [before, weight] = times_.locate(time_s);
  if (weight == 0) return records_[before];
  const FvwamVortex &a = records_[before], &b = records_[before + 1];
  return {.latitude = interpolate(a.latitude, b.latitude, weight),
          .longitude = a.longitude + weight * std::remainder(b.longitude - a.longitude, kTwoPi),
          .radius = interpolate(a.radius, b.radius, weight),
          .shape = interpolate(a.shape, b.shape, weight),
          .deficit = interpolate(a.deficit, b.deficit, weight),
          .eastward = interpolate(a.eastward, b.eastward, weight),
          .northward = interpolate(a.northward, b.northward, weight)};
}

void FvwamWind::compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                        std::span<double> u, std::span<double> v) const {
  const FvwamVortex now = vortex(time_s);
  const Centre centre(now.latitude, now.longitude);
  const double rotation = now.latitude < 0 ? -1 : 1;  // anticlockwise in the northern hemisphere
  for (std::size_t cell = 0; cell < latitudes.size(); ++cell) {
    const double r = std::max(centre.position(latitudes[cell], longitudes[cell]).r, kSmallestRadius);
    const double x = std::remainder(longitudes[cell] - now.longitude, kTwoPi),
                 y = latitudes[cell] - now.latitude;
    const double angle = std::atan2(y, x) + rotation * surface_.inflow;
    const double speed =
        rotation * surface_.factor * gradient_wind(r, latitudes[cell], now, surface_.air_density);
    const double motion = surface_.asymmetry ? std::exp(-kPi / 4 * std::abs(r - now.radius) / now.radius) : 0;
    u[cell] = motion * now.eastward - speed * std::sin(angle);
    v[cell] = motion * now.northward + speed * std::cos(angle);
  }
}

}  // namespace halcyon::wave
