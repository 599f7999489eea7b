#include "halcyon/wave/wind/polar.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

std::vector<double> interpolated(const std::vector<double>& a, const std::vector<double>& b, double weight) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = interpolate(a[i], b[i], weight);
  return result;
}

PolarVortex interpolated(const PolarVortex& a, const PolarVortex& b, double weight) {
  const double longitude_difference = std::remainder(b.longitude - a.longitude, kTwoPi);
  return {.latitude = interpolate(a.latitude, b.latitude, weight),
          .longitude = a.longitude + weight * longitude_difference,
          .radius = interpolate(a.radius, b.radius, weight),
          .peak = interpolate(a.peak, b.peak, weight),
          .eastward = interpolate(a.eastward, b.eastward, weight),
          .northward = interpolate(a.northward, b.northward, weight),
          .inner = interpolated(a.inner, b.inner, weight),
          .outer = interpolated(a.outer, b.outer, weight),
          .speed = interpolated(a.speed, b.speed, weight)};
}

void check_record(const PolarVortex& vortex, const PolarVortex& first, std::size_t record) {
  const auto n = first.inner.size(), n_speeds = first.speed.size();
  require<InputError>(n > 0 && n_speeds >= 2 * n && n_speeds % n == 0 && vortex.inner.size() == n &&
                          vortex.outer.size() == n && vortex.speed.size() == n_speeds,
                      "Vortex record {}: the tables have {} inner radii, {} outer radii and {} speeds; give "
                      "two or more speeds "
                      "per azimuth, and tables of equal sizes.",
                      record, vortex.inner.size(), vortex.outer.size(), vortex.speed.size());
  for (const double value : {vortex.latitude, vortex.longitude, vortex.eastward, vortex.northward})
    require<InputError>(std::isfinite(value),
                        "Vortex record {}: a coordinate or velocity component is {}; it must be finite.",
                        record, value);
  for (const double value : {vortex.radius, vortex.peak})
    require<InputError>(
        std::isfinite(value) && value > 0,
        "Vortex record {}: the radius of maximum wind is {} m and the peak wind {} m s-1; both "
        "must be above 0.",
        record, vortex.radius, vortex.peak);
  for (std::size_t i = 0; i < n; ++i)
    require<InputError>(vortex.inner[i] > 0 && vortex.outer[i] > vortex.inner[i],
                        "Vortex record {}: the radii of azimuth {} are {} and {} m; they must be above 0 and "
                        "increase.",
                        record, i, vortex.inner[i], vortex.outer[i]);
  for (const double speed : vortex.speed)
    require<InputError>(std::isfinite(speed) && speed >= 0,
                        "Vortex record {}: a wind speed is {} m s-1; it must be 0 or more.", record, speed);
}

}  // namespace

double polar_speed(const PolarVortex& vortex, double r, double azimuth) {
  const auto n = vortex.inner.size(), n_nodes = vortex.speed.size() / n;
  const double position = (azimuth / kTwoPi - std::floor(azimuth / kTwoPi)) * static_cast<double>(n);
  const auto before = std::min(static_cast<std::size_t>(position), n - 1), after = (before + 1) % n;
  const double weight = position - static_cast<double>(before);
  const double inner = interpolate(vortex.inner[before], vortex.inner[after], weight);
  const double outer = interpolate(vortex.outer[before], vortex.outer[after], weight);
  const double x = r < inner ? r / inner : 1 + std::log(r / inner) / std::log(outer / inner);
  const double node = x * kNodesPerUnit;
  if (!(node < static_cast<double>(n_nodes - 1))) return 0;
  const auto k = static_cast<std::size_t>(node);
  const auto at = [&](std::size_t azimuth_index) {
    const auto* row = vortex.speed.data() + azimuth_index * n_nodes + k;
    return interpolate(row[0], row[1], node - static_cast<double>(k));
  };
  return interpolate(at(before), at(after), weight);
}

void polar_wind(const PolarVortex& vortex, const PolarDirection& direction, std::span<const double> latitudes,
                std::span<const double> longitudes, std::span<double> u, std::span<double> v) {
  const Centre centre(vortex.latitude, vortex.longitude);
  const double rotation = vortex.latitude < 0 ? -1 : 1;  // anticlockwise in the northern hemisphere
  const double velocity = std::sqrt(vortex.eastward * vortex.eastward + vortex.northward * vortex.northward);
  for (std::size_t cell = 0; cell < latitudes.size(); ++cell) {
    const auto position = centre.position(latitudes[cell], longitudes[cell]);
    const auto [r, east, north] = position;
    const double speed = polar_speed(vortex, r, std::atan2(east, north));
    const double inflow = inflow_angle(direction.inflow, r / vortex.radius, vortex.peak, position,
                                       vortex.eastward, vortex.northward, rotation);
    const double tangential = rotation * std::cos(inflow), radial = std::sin(inflow);
    const double to_east = -tangential * north - radial * east;
    const double to_north = tangential * east - radial * north;
    double weight = 0;  // of the motion
    if (direction.motion && velocity > 0)
      weight = std::min(motion_weight(r, vortex.radius), speed / (2 * velocity));
    const double c_east = weight * vortex.eastward, c_north = weight * vortex.northward;
    // |s d + c| = speed for the unit vector d and the motion c, solved for s >= 0
    const double along = to_east * c_east + to_north * c_north;
    const double across = c_east * c_east + c_north * c_north - along * along;
    const double relative = std::sqrt(std::max(0.0, speed * speed - across)) - along;
    u[cell] = relative * to_east + c_east;
    v[cell] = relative * to_north + c_north;
  }
}

PolarWind::PolarWind(std::vector<double> times_s, std::vector<PolarVortex> records, PolarDirection direction)
    : times_(std::move(times_s), records.size()), records_(std::move(records)), direction_(direction) {
  for (std::size_t i = 0; i < records_.size(); ++i) check_record(records_[i], records_[0], i);
}

PolarVortex PolarWind::vortex(double time_s) const {
  const auto [before, weight] = times_.locate(time_s);
  return weight == 0 ? records_[before] : interpolated(records_[before], records_[before + 1], weight);
}

void PolarWind::compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                        std::span<double> u, std::span<double> v) const {
  polar_wind(vortex(time_s), direction_, latitudes, longitudes, u, v);
}

}  // namespace halcyon::wave
