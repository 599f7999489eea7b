#pragma once

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// Arguments below which the truncated series of arcsine and arctangent are exact to rounding.
inline constexpr double kSeriesArc = 0.01, kSeriesArea = 1e-3;

/// Great-circle distance of two points of the unit sphere [rad], from their chord: accurate for near points.
inline double arc_length(Vector3 a, Vector3 b) {
  const double half_chord = norm(b - a) / 2, square = half_chord * half_chord;
  if (half_chord < kSeriesArc)
    return 2 * half_chord * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (5.0 / 112))));
  return 2 * std::asin(std::min(1.0, half_chord));
}

/// Signed area of a spherical triangle, positive if a, b, c run counter-clockwise seen from outside:
/// tan(A/2) = a.(b x c) / (1 + a.b + b.c + c.a), written with differences of the points (Eriksson 1990).
inline double triangle_area(Vector3 a, Vector3 b, Vector3 c) {
  const Vector3 ab = b - a, bc = c - b, ca = a - c;
  const double volume = dot(a, cross(ab, c - a));
  const double denominator = 4 - (dot(ab, ab) + dot(bc, bc) + dot(ca, ca)) / 2;
  const double tangent = volume / denominator, square = tangent * tangent;
  if (std::abs(tangent) < kSeriesArea) return 2 * tangent * (1 - square * (1.0 / 3 - square * (1.0 / 5)));
  return 2 * std::atan2(volume, denominator);
}

/// Area of the kite of a cell and a vertex on the unit sphere: between the cell, the edge to the right of the
/// vertex, the vertex and the edge to the left.
inline double kite_area(Vector3 cell, Vector3 right, Vector3 vertex, Vector3 left) {
  return triangle_area(cell, right, vertex) + triangle_area(cell, vertex, left);
}

/// Circumcentre on the sphere of a, b, c, which run counter-clockwise; `vertex_point` is more exact.
inline Vector3 circumcentre(Vector3 a, Vector3 b, Vector3 c) {
  return normalized(cross(b - a, c - a));
}

/// Latitude [rad] of a point of the unit sphere.
inline double latitude(Vector3 p) {
  return std::atan2(p.z, std::hypot(p.x, p.y));
}

/// Longitude [rad] in [0, 2 pi) of a point of the unit sphere.
inline double longitude(Vector3 p) {
  const double angle = std::atan2(p.y, p.x);
  return angle < 0 ? angle + kTwoPi : angle;
}

/// Angle [rad] from east to the vector `direction` at point `p`, counter-clockwise seen from outside.
inline double angle_from_east(Vector3 p, Vector3 direction) {
  const Vector3 eastward = p.x != 0 || p.y != 0 ? Vector3{-p.y, p.x, 0} : Vector3{0, 1, 0};
  return std::atan2(dot(direction, cross(p, eastward)), dot(direction, eastward));
}

/// Change of the compass bearing [rad], positive clockwise, along the shorter great-circle arc from a to b.
inline double compass_turn(Vector3 a, Vector3 b) {
  const Vector3 chord = b - a;
  return std::remainder(angle_from_east(a, chord) - angle_from_east(b, chord), kTwoPi);
}

}  // namespace halcyon::mesh
