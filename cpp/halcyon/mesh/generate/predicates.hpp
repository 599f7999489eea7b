#pragma once

#include <cmath>

#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

// Signs of determinants are exact: they are computed in doubles if an error bound allows this, otherwise in
// exact arithmetic (Shewchuk 1997, Discrete Comput. Geom. 18, 305-363).

/// The sign (-1, 0, 1) of (d - a).((b - a) x (c - a)), computed exactly.
int exact_in_circle(Vector3 a, Vector3 b, Vector3 c, Vector3 d);

/// The sign of a.(b x c), computed exactly.
int exact_orientation(Vector3 a, Vector3 b, Vector3 c);

/// Upper bound of the error of a 3 x 3 determinant of differences over its permanent (Shewchuk 1997, figure
/// 20), with a margin.
inline constexpr double kDeterminantError = 1e-15;

/// Returns the sum of the absolute values of all products in the determinant u.(v x w).
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

/// For points of the sphere: 1 if d is inside the circle through a, b, c, which run counter-clockwise, 0 if
/// on it, -1 if outside. For points in space: 1 if a, b, c run counter-clockwise seen from d.
inline int in_circle(Vector3 a, Vector3 b, Vector3 c, Vector3 d) {
  const Vector3 u = d - a, v = b - a, w = c - a;
  const double determinant = dot(u, cross(v, w));
  if (std::abs(determinant) > kDeterminantError * permanent(u, v, w)) return sign(determinant);
  return exact_in_circle(a, b, c, d);
}

/// Returns 1 if a, b, c run counter-clockwise seen from outside, -1 if clockwise, 0 if on one great circle.
inline int orientation(Vector3 a, Vector3 b, Vector3 c) {
  const double determinant = dot(a, cross(b - a, c - a));
  if (std::abs(determinant) > kDeterminantError * permanent(a, b - a, c - a)) return sign(determinant);
  return exact_orientation(a, b, c);
}

/// Returns the circumcentre of points a, b, c of the unit sphere, which run counter-clockwise. The arc
/// between the circumcentres of two neighbouring triangles crosses their common side at a right angle, to
/// 1e-14 rad if sides are 0.007 rad (an icosahedral mesh G7) or longer.
///
/// Rounding the exact circumcentre moves it by up to 1e-16 rad, which rotates short arcs by much more. So the
/// length of the returned vector, within 3e-15 of 1, is chosen such that rounding moves it less.
Vector3 vertex_point(Vector3 a, Vector3 b, Vector3 c);

}  // namespace halcyon::mesh
