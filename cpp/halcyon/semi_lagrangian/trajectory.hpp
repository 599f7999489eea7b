#pragma once

#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/base/view.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"

namespace halcyon::semi_lagrangian {

/// Point on the unit sphere, z towards the north pole.
Vector3 vector_of(Point point);
Point point_of(Vector3 vector);
/// The angle between two unit vectors [rad], exact for small ones, too.
double angle_between(Vector3 a, Vector3 b);

/// Winds in the columns that a rank holds: eastward and northward (column, component, level) [m s-1].
struct LocalWinds {
  const Rows& rows;
  const Columns& columns;
  View<const double, 3> values;
};

/// Computes the departure points of air that arrives at points at the end of a step: back along the great
/// circle whose midpoint M has the wind V(M) of the trajectory,
///   M = (A - sin(s) V / |V|) / |...|,  s = |V| dt / (2 a),    D = 2 (A . M) M - A
/// (Ritchie 1987, Mon. Wea. Rev. 115, 608-619, with the sine instead of his |V| dt / (2 a)), by iteration
/// from V = V(A). V(M) is interpolated linearly in both directions, so it is no stronger than the surrounding
/// winds, and D is no farther from A than they allow.
/// @param columns range of arrival points
/// @param arrivals (point), the first columns of `winds`
/// @param half_step dt / (2 a) [s m-1]
/// @param iterations iterations of V(M), 0 or more
/// @param departures (point, level)
/// @returns the number of columns missing in `winds` (an internal error)
int trace_departures(const LocalWinds& winds, Range columns, std::span<const Point> arrivals,
                     double half_step, int iterations, std::span<Point> departures);

}  // namespace halcyon::semi_lagrangian
