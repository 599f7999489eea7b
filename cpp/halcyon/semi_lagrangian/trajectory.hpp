#pragma once

#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/base/view.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"

namespace halcyon::semi_lagrangian {

/// On the unit sphere, z towards the north pole.
Vector3 vector_of(Point point);
Point point_of(Vector3 vector);
/// The angle between two unit vectors [rad], exact for small ones, too.
double angle_between(Vector3 a, Vector3 b);

/// Winds as a rank holds them: eastward and northward (column, wind, level) [m s-1].
struct HeldWinds {
  const Rows& rows;
  const Columns& columns;
  View<const double, 3> values;
};

/// The departure points of air that arrives at points at the end of a step: back along the great circle whose
/// middle M has the wind V(M) of the trajectory,
///   M = (A - sin(s) V / |V|) / |...|,  s = |V| dt / (2 a),    D = 2 (A . M) M - A
/// (Ritchie 1987, Mon. Wea. Rev. 115, 608-619, with the sine for his |V| dt / (2 a)), by iteration from
/// V = V(A). V(M) is interpolated linearly in both directions, so it is no stronger than the winds around it,
/// and D no farther from A than those carry.
/// @param arrivals (point); those that `winds` has first
/// @param half_step dt / (2 a) [s m-1]; iterations of V(M), 0 or more
/// @param departures (point, level)
/// @returns how many columns were looked for in vain (which is our bug)
int find_departures(const HeldWinds& winds, std::span<const Point> arrivals, double half_step, int iterations,
                    std::span<Point> departures);

}  // namespace halcyon::semi_lagrangian
