#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/base/view.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"

namespace halcyon::semi_lagrangian {

/// Returns the unit vector of a point; z is towards the north pole.
Vector3 vector_of(Point point);
Point point_of(Vector3 vector);
/// Returns the angle between two unit vectors [rad], accurate even for small angles.
double angle_between(Vector3 a, Vector3 b);

/// Wind vector of u (eastward) and v (northward) at a point of the unit sphere; at a pole, for longitude 0.
Vector3 wind_vector(Vector3 point, double u, double v);
/// Eastward and northward component of a vector at a point of the unit sphere, the inverse of `wind_vector`.
std::array<double, 2> wind_components(Vector3 point, Vector3 wind);
/// The tangent vector x at D, transported in parallel along the great circle to A:
///   x - (x . A) / (1 + A . D) (A + D)
inline Vector3 transported(Vector3 departure, Vector3 arrival, Vector3 x) {
  return x - (dot(x, arrival) / (1 + dot(arrival, departure))) * (arrival + departure);
}

/// The columns around a point, for linear interpolation in longitude on the two adjacent rows, then in
/// colatitude.
struct LinearStencil {
  std::array<LocalIndex, 4> columns{};  ///< kNone: not stored by this rank
  std::array<double, 4> weights{};
  std::array<double, 4> wind_weights{};  ///< of wind components, which change sign across a pole
};
inline LinearStencil linear_stencil(const Rows& rows, const Columns& columns, Point point) {
  const int north = rows.row_north_of(point.colatitude);
  const double north_colatitude = rows.colatitude(north), south_colatitude = rows.colatitude(north + 1);
  const double south_weight = (point.colatitude - north_colatitude) / (south_colatitude - north_colatitude);
  const double circles = point.longitude / kTwoPi;
  LinearStencil stencil;
  for (const int row_offset : {0, 1}) {
    const auto position = rows.locate_circles(north + row_offset, circles);
    const double row_weight = row_offset ? south_weight : 1 - south_weight;
    for (const int column_offset : {0, 1}) {
      const int k = 2 * row_offset + column_offset;
      stencil.columns[k] = columns.position(
          {position.row, position.column(column_offset, rows.grid().row_length(position.row))});
      stencil.weights[k] = row_weight * (column_offset ? position.fraction : 1 - position.fraction);
      stencil.wind_weights[k] = position.across_pole ? -stencil.weights[k] : stencil.weights[k];
    }
  }
  return stencil;
}

/// Winds in the columns that a rank stores.
struct LocalWinds {
  const Rows& rows;
  const Columns& columns;
  View<const double, 3> values;  ///< [m s-1] (local column, component: eastward or northward, level)
};

/// Computes the departure points D of air that arrives at the points A at the end of a step. The trajectory
/// is a great circle with the wind V(M) at its midpoint M,
///   M = (A - sin(s) V / |V|) / |A - sin(s) V / |V||,  s = |V| dt / (2 a),    D = 2 (A . M) M - A
/// (Ritchie 1987, Mon. Wea. Rev. 115, 608-619, but with sin(s) instead of s), by iteration from V = V(A). A,
/// M and D are unit vectors, and a is the radius of the sphere. V(M) is interpolated linearly in longitude
/// and colatitude, so that it is not stronger than the surrounding winds: a bound of the distance A D.
/// @param columns range of arrival points
/// @param arrivals (point), the first columns of `winds`
/// @param half_step_over_radius dt / (2 a) [s m-1]
/// @param iterations number of interpolations of V(M), 0 or more
/// @param departures (point, level)
/// @returns the number of columns needed but missing in `winds`; a number above 0 is an internal error
int trace_departures(const LocalWinds& winds, Range columns, std::span<const Point> arrivals,
                     double half_step_over_radius, int iterations, std::span<Point> departures);

}  // namespace halcyon::semi_lagrangian
