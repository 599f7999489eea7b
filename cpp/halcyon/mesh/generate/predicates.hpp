#pragma once

#include <cmath>

#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// Signs that are always right: computed in doubles where an error bound allows, exactly elsewhere
/// (Shewchuk 1997, Discrete Comput. Geom. 18, 305-363).

/// The sign (-1, 0, 1) of (d - a).((b - a) x (c - a)), computed exactly.
int exact_side(Vector3 a, Vector3 b, Vector3 c, Vector3 d);

/// The sign of a.(b x c), computed exactly.
int exact_turn(Vector3 a, Vector3 b, Vector3 c);

/// Bound of the relative error of a 3 x 3 determinant of differences (Shewchuk 1997, figure 20), with room.
inline constexpr double kDeterminantError = 1e-15;

/// The sum of the absolute values of all products in the determinant u.(v x w).
inline double permanent(Vector3 u, Vector3 v, Vector3 w) {
  const auto products = [](double a, double b, double c, double d) {
    return std::abs(a * b) + std::abs(c * d);
  };
  return std::abs(u.x) * products(v.y, w.z, v.z, w.y) + std::abs(u.y) * products(v.z, w.x, v.x, w.z) +
         std::abs(u.z) * products(v.x, w.y, v.y, w.x);
}

inline int sign(double value) {
  return (value > 0) - (value < 0);
}

/// On which side of the plane through a, b, c the point d lies: 1 if it is seen counter-clockwise from there.
/// On the sphere: whether d lies inside the circle through a, b, c, which run counter-clockwise.
inline int side(Vector3 a, Vector3 b, Vector3 c, Vector3 d) {
  const Vector3 u = d - a, v = b - a, w = c - a;
  const double determinant = dot(u, cross(v, w));
  if (std::abs(determinant) > kDeterminantError * permanent(u, v, w)) return sign(determinant);
  return exact_side(a, b, c, d);
}

/// Whether a, b, c run counter-clockwise seen from outside: 1, -1 if clockwise, 0 if on one great circle.
inline int turn(Vector3 a, Vector3 b, Vector3 c) {
  const double determinant = dot(a, cross(b - a, c - a));
  if (std::abs(determinant) > kDeterminantError * permanent(a, b - a, c - a)) return sign(determinant);
  return exact_turn(a, b, c);
}

/// The circumcentre of points a, b, c of the unit sphere, which run counter-clockwise. Arcs between two of
/// them cross the side that they share at a right angle to 1e-14 rad where sides are 0.007 (G7) or more.
///
/// The exact centre is rounded to doubles, which turns it by up to 1e-16 rad and thereby arcs by more, the
/// shorter they are. So its length is chosen, within 3e-15 of 1, for a rounding that turns it less.
Vector3 vertex_point(Vector3 a, Vector3 b, Vector3 c);

}  // namespace halcyon::mesh
