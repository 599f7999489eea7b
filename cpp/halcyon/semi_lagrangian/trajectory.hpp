#pragma once

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
/// Returns the angle between two unit vectors [rad], accurate even if it is small.
double angle_between(Vector3 a, Vector3 b);

/// Winds in the columns that a rank holds: eastward and northward (column, component, level) [m s-1].
struct LocalWinds {
  const Rows& rows;
  const Columns& columns;
  View<const double, 3> values;
};

/// Computes the departure points D of air that arrives at the points A at the end of a step. The trajectory
/// is a great circle with the wind V(M) at its midpoint M,
///   M = (A - sin(s) V / |V|) / |...|,  s = |V| dt / (2 a),    D = 2 (A . M) M - A
/// (Ritchie 1987, Mon. Wea. Rev. 115, 608-619, with the sine instead of his |V| dt / (2 a)), by iteration
/// from V = V(A). V(M) is interpolated linearly in both directions, so it is no stronger than the surrounding
/// winds, which bounds the distance of D from A.
/// @param columns range of arrival points
/// @param arrivals (point), the first columns of `winds`
/// @param half_step dt / (2 a) [s m-1]
/// @param iterations iterations of V(M), 0 or more
/// @param departures (point, level)
/// @returns the number of values missing in `winds`; other than 0 is an internal error
int trace_departures(const LocalWinds& winds, Range columns, std::span<const Point> arrivals,
                     double half_step, int iterations, std::span<Point> departures);

}  // namespace halcyon::semi_lagrangian
