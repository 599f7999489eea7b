#include "halcyon/semi_lagrangian/trajectory.hpp"

#include <cmath>

namespace halcyon::semi_lagrangian {

namespace {

/// u eastward, v northward at a point of the unit sphere; at a pole, along longitude 0.
Vector3 wind_vector(Vector3 at, double u, double v) {
  const double from_axis = std::sqrt(at.x * at.x + at.y * at.y);
  const double cos_lon = from_axis > 0 ? at.x / from_axis : 1, sin_lon = from_axis > 0 ? at.y / from_axis : 0;
  return {-u * sin_lon - v * at.z * cos_lon, u * cos_lon - v * at.z * sin_lon, v * from_axis};
}

Vector3 midpoint(Vector3 arrival, Vector3 wind, double half_step) {
  const double speed = norm(wind);
  if (speed == 0) return arrival;
  return normalized(arrival - (std::sin(speed * half_step) / speed) * wind);
}

/// Linear in longitude on the two rows around it, then in colatitude; beyond a pole both components have the
/// other sign, since east and north turn round there.
Vector3 wind_at(const HeldWinds& winds, Vector3 at, std::size_t level, int& n_missed) {
  const auto point = point_of(at);
  const auto& rows = winds.rows;
  const int north = rows.row_north_of(point.colatitude);
  const double above = rows.colatitude(north), below = rows.colatitude(north + 1);
  const double southward = (point.colatitude - above) / (below - above);
  double u = 0, v = 0;
  for (const int south : {0, 1}) {
    const auto spot = rows.spot(north + south, point.longitude);
    const double of_row = (south ? southward : 1 - southward) * (spot.beyond ? -1 : 1);
    for (const int east : {0, 1}) {
      const double weight = of_row * (east ? spot.fraction : 1 - spot.fraction);
      auto position = winds.columns.position({spot.row, spot.column(east, rows.grid().row_length(spot.row))});
      if (position == kNone) position = 0, ++n_missed;
      u += weight * winds.values(position, 0, level);
      v += weight * winds.values(position, 1, level);
    }
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
      auto wind = wind_vector(arrival, winds.values(i, 0, level), winds.values(i, 1, level));
      for (int iteration = 0; iteration < iterations; ++iteration)
        wind = wind_at(winds, midpoint(arrival, wind, half_step), level, n_missed);
      const auto middle = midpoint(arrival, wind, half_step);
      departures[i * n_levels + level] = point_of(2 * dot(arrival, middle) * middle - arrival);
    }
  }
  return n_missed;
}

}  // namespace halcyon::semi_lagrangian
