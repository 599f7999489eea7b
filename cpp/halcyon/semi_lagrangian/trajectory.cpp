#include "halcyon/semi_lagrangian/trajectory.hpp"

#include <cmath>

namespace halcyon::semi_lagrangian {

namespace {

/// Eastward and northward at a point, in space.
Vector3 wind_vector(Point at, double u, double v) {
  const double sin_lon = std::sin(at.longitude), cos_lon = std::cos(at.longitude);
  const double sin_lat = std::cos(at.colatitude), cos_lat = std::sin(at.colatitude);
  return {-u * sin_lon - v * sin_lat * cos_lon, u * cos_lon - v * sin_lat * sin_lon, v * cos_lat};
}

Vector3 midpoint(Vector3 arrival, Vector3 wind, double half_step) {
  const double speed = norm(wind);
  if (speed == 0) return arrival;
  return normalized(arrival - (std::sin(speed * half_step) / speed) * wind);
}

/// Linear in longitude on the two rows around it, then in colatitude; beyond a pole both components have the
/// other sign, since east and north turn round there.
Vector3 wind_at(const HeldWinds& winds, Point at, std::size_t level, int& n_missed) {
  const auto spot = spot_of(winds.rows, at);
  const double north = winds.rows.colatitude(spot.north), south = winds.rows.colatitude(spot.north + 1);
  const double southward = (at.colatitude - north) / (south - north);
  double u = 0, v = 0;
  for (int k = 0; k < n_points(Interpolation::linear); ++k) {
    const auto [row, column] = kStencil[k];
    const auto& of_row = spot.rows[row];
    const double weight = (row == 1 ? 1 - southward : southward) *
                          (column == 0 ? 1 - of_row.fraction : of_row.fraction) * (of_row.beyond ? -1 : 1);
    auto position = winds.columns.position(spot.place(winds.rows, kStencil[k]));
    if (position == kNone) position = 0, ++n_missed;
    u += weight * winds.values(position, 0, level);
    v += weight * winds.values(position, 1, level);
  }
  return wind_vector(at, u, v);
}

}  // namespace

Vector3 vector_of(Point point) {
  const double from_axis = std::sin(point.colatitude);
  return {from_axis * std::cos(point.longitude), from_axis * std::sin(point.longitude),
          std::cos(point.colatitude)};
}

Point point_of(Vector3 v) {
  return {std::atan2(v.y, v.x), std::atan2(std::hypot(v.x, v.y), v.z)};
}

double angle_between(Vector3 a, Vector3 b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

int find_departures(const HeldWinds& winds, std::span<const Point> arrivals, double half_step, int iterations,
                    std::span<Point> departures) {
  int n_missed = 0;
  const auto n_levels = winds.values.extent(2);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const auto arrival = vector_of(arrivals[i]);
    for (std::size_t level = 0; level < n_levels; ++level) {
      auto wind = wind_vector(arrivals[i], winds.values(i, 0, level), winds.values(i, 1, level));
      for (int iteration = 0; iteration < iterations; ++iteration)
        wind = wind_at(winds, point_of(midpoint(arrival, wind, half_step)), level, n_missed);
      const auto middle = midpoint(arrival, wind, half_step);
      departures[i * n_levels + level] = point_of(2 * dot(arrival, middle) * middle - arrival);
    }
  }
  return n_missed;
}

}  // namespace halcyon::semi_lagrangian
