#include "halcyon/semi_lagrangian/trajectory.hpp"

#include <cmath>

namespace halcyon::semi_lagrangian {
namespace {

/// M = (A - sin(s) V / |V|) / |A - sin(s) V / |V||,  s = |V| dt / (2 a)      (trajectory.hpp)
Vector3 midpoint(Vector3 arrival, Vector3 wind, double half_step_over_radius) {
  const double speed = norm(wind);
  if (speed == 0) return arrival;
  return normalized(arrival - (std::sin(speed * half_step_over_radius) / speed) * wind);
}

/// Interpolates the wind linearly.
Vector3 wind_at(const LocalWinds& winds, Vector3 p, std::size_t level, int& n_missing) {
  const auto stencil = linear_stencil(winds.rows, winds.columns, point_of(p));
  double u = 0, v = 0;
  for (int k = 0; k < 4; ++k) {
    auto column = stencil.columns[k];
    if (column == kNone) column = 0, ++n_missing;  // any column: the caller reports the error
    u += stencil.wind_weights[k] * winds.values(column, 0, level);
    v += stencil.wind_weights[k] * winds.values(column, 1, level);
  }
  return wind_vector(p, u, v);
}

}  // namespace

Vector3 wind_vector(Vector3 p, double u, double v) {
  const double cos_lat = std::sqrt(p.x * p.x + p.y * p.y);
  const double cos_lon = cos_lat > 0 ? p.x / cos_lat : 1, sin_lon = cos_lat > 0 ? p.y / cos_lat : 0;
  return {-u * sin_lon - v * p.z * cos_lon, u * cos_lon - v * p.z * sin_lon, v * cos_lat};
}

std::array<double, 2> wind_components(Vector3 p, Vector3 wind) {
  const double cos_lat = std::sqrt(p.x * p.x + p.y * p.y);
  const double cos_lon = cos_lat > 0 ? p.x / cos_lat : 1, sin_lon = cos_lat > 0 ? p.y / cos_lat : 0;
  return {wind.y * cos_lon - wind.x * sin_lon,
          wind.z * cos_lat - p.z * (wind.x * cos_lon + wind.y * sin_lon)};
}

Vector3 vector_of(Point point) {
  const double cos_lat = std::sin(point.colatitude);
  return {cos_lat * std::cos(point.longitude), cos_lat * std::sin(point.longitude),
          std::cos(point.colatitude)};
}

Point point_of(Vector3 v) {
  return {std::atan2(v.y, v.x), std::atan2(std::hypot(v.x, v.y), v.z)};
}

double angle_between(Vector3 a, Vector3 b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

int trace_departures(const LocalWinds& winds, Range columns, std::span<const Point> arrivals,
                     double half_step_over_radius, int iterations, std::span<Point> departures) {
  int n_missing = 0;
  const auto n_levels = winds.values.extent(2);
  for (auto i = std::size_t(columns.begin); i < std::size_t(columns.end); ++i) {
    const auto arrival = vector_of(arrivals[i]);
    for (std::size_t level = 0; level < n_levels; ++level) {
      auto wind = wind_vector(arrival, winds.values(i, 0, level), winds.values(i, 1, level));
      for (int iteration = 0; iteration < iterations; ++iteration)
        wind = wind_at(winds, midpoint(arrival, wind, half_step_over_radius), level, n_missing);
      const auto middle = midpoint(arrival, wind, half_step_over_radius);
      departures[i * n_levels + level] = point_of(2 * dot(arrival, middle) * middle - arrival);
    }
  }
  return n_missing;
}

}  // namespace halcyon::semi_lagrangian
