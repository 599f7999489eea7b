#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

using Triangle = std::array<LocalIndex, 3>;  ///< one index per corner

inline int next_corner(int k) {
  return k == 2 ? 0 : k + 1;
}
inline int previous_corner(int k) {
  return k == 0 ? 2 : k - 1;
}
/// Position of `point` among the corners of a triangle that contains it.
inline int corner_of(const Triangle& corners, LocalIndex point) {
  return corners[1] == point ? 1 : corners[2] == point ? 2 : 0;
}

/// A triangulation of the whole sphere.
struct Triangulation {
  std::vector<Vector3> points;       ///< on the unit sphere
  std::vector<Triangle> corners;     ///< (triangle) point indices, counter-clockwise seen from outside
  std::vector<Triangle> neighbours;  ///< (triangle) triangles across the side opposite each corner

  LocalIndex n_points() const { return static_cast<LocalIndex>(points.size()); }
  LocalIndex n_triangles() const { return static_cast<LocalIndex>(corners.size()); }
};

/// Returns the triangulation with the given triangles, which may have any orientation and order.
/// @param points on the unit sphere
/// @throws InputError if points are not on the unit sphere, or the triangles do not cover it once
Triangulation triangulation_of(std::span<const Vector3> points, std::span<const Triangle> triangles);

/// Returns the 12 corners and 20 faces of the icosahedron that is symmetric about the coordinate planes.
Triangulation icosahedron();

/// Splits each triangle into four at the midpoints of its sides; n points become 4 n - 6. Neighbouring
/// points and triangles stay close in memory.
Triangulation bisected(const Triangulation& from);

/// Returns the triangulation with its points reordered: order[new index] = old index. Triangles start at
/// their smallest corner and are sorted by corners: the result does not depend on their order.
/// @throws InputError unless `order` is a permutation of the points
Triangulation ordered(const Triangulation& from, std::span<const LocalIndex> order);

/// Returns, for each point, the triangle of smallest index with that corner.
std::vector<LocalIndex> first_triangles(const Triangulation& t);

/// A side of a triangle: the one opposite corner number `corner` (0..2).
struct Side {
  LocalIndex triangle;
  int corner;
};

/// Flips sides until every triangle is Delaunay (Lawson 1977). Every triangle must run counter-clockwise.
/// @param suspects sides that may have to be flipped
/// @param touched the changed triangles are appended, some repeatedly
void restore_delaunay(Triangulation& t, std::vector<Side> suspects, std::vector<LocalIndex>& touched);

/// Adds points of the sphere to a Delaunay triangulation one by one: splits the triangle of the point into
/// three, and flips. Fast if consecutive points are close: each search starts at the previous triangle.
/// @throws InputError if two points coincide
void insert(Triangulation& t, std::span<const Vector3> points);

}  // namespace halcyon::mesh
