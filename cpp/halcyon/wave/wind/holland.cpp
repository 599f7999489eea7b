#include "halcyon/wave/wind/holland.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {
namespace {

/// A cell as the storm's centre sees it: distance [m], and the unit vector at the cell that points away from
/// it.
struct Place {
  double r, east, north;
};

struct Direction {
  double cosine, sine;
};

Direction unit(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

/// `centre_sine`, `centre_cosine` of the centre's latitude; `eastwards` [rad] from centre to cell.
Place place(double centre_sine, double centre_cosine, double latitude, double eastwards) {
  const double sine = std::sin(latitude), cosine = std::cos(latitude);
  const double turn = std::cos(eastwards);
  const double east = centre_cosine * std::sin(eastwards);
  const double north = centre_cosine * sine * turn - centre_sine * cosine;
  const double length = std::sqrt(east * east + north * north);  // sine of the angle between them
  if (length == 0) return {0, 0, 0};
  const double angle = std::atan2(length, centre_sine * sine + centre_cosine * cosine * turn);
  return {kEarthRadius * angle, east / length, north / length};
}

}  // namespace

double coriolis(double latitude) {
  return 2 * kEarthRotation * std::sin(latitude);
}

double gradient_wind(double r, const Vortex& vortex) {
  constexpr double kCalm = 700;  // exp(-kCalm) is about the smallest number there is
  const double f = std::abs(coriolis(vortex.latitude));
  const double s = std::pow(vortex.radius / r, vortex.shape);
  if (!(s < kCalm)) return 0;
  const double cyclostrophic = vortex.peak * (vortex.peak + vortex.radius * f) * s * std::exp(1 - s);
  const double half = r * f / 2;
  const double sum = std::sqrt(cyclostrophic + half * half) + half;
  return sum > 0 ? cyclostrophic / sum : 0;  // = sqrt(cyclostrophic + half^2) - half, without cancellation
}

double motion_weight(double r, double radius) {
  return radius * r / (radius * radius + r * r);
}

double inflow_angle(double r, double radius, const SurfaceWind& surface) {
  if (!surface.inflow_profile) return surface.inflow;
  const double x = r / radius;
  if (x < 1) return 10 * kDegree * (1 + x);
  return kDegree * std::min(20 + 25 * (x - 1), 25.0);
}

void holland_wind(const Vortex& vortex, const SurfaceWind& surface, std::span<const double> latitudes,
                  std::span<const double> longitudes, std::span<double> u, std::span<double> v) {
  const double centre_sine = std::sin(vortex.latitude), centre_cosine = std::cos(vortex.latitude);
  const double turning = vortex.latitude < 0 ? -1 : 1;  // anticlockwise in the northern hemisphere
  Direction inflow = unit(surface.inflow);
  for (std::size_t cell = 0; cell < latitudes.size(); ++cell) {
    const auto [r, east, north] =
        place(centre_sine, centre_cosine, latitudes[cell], longitudes[cell] - vortex.longitude);
    const double speed = surface.factor * gradient_wind(r, vortex);
    if (surface.inflow_profile) inflow = unit(inflow_angle(r, vortex.radius, surface));
    const double around = turning * speed * inflow.cosine, inwards = speed * inflow.sine;
    const double motion = surface.asymmetry ? motion_weight(r, vortex.radius) : 0;
    u[cell] = -around * north - inwards * east + motion * vortex.eastward;
    v[cell] = around * east - inwards * north + motion * vortex.northward;
  }
}

}  // namespace halcyon::wave
