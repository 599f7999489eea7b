#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

using Triangle = std::array<LocalIndex, 3>;

inline int next_corner(int k) {
  return k == 2 ? 0 : k + 1;
}
inline int last_corner(int k) {
  return k == 0 ? 2 : k - 1;
}
/// Position of `point` among the corners of a triangle that contains it.
inline int corner_of(const Triangle& corners, LocalIndex point) {
  return corners[1] == point ? 1 : corners[2] == point ? 2 : 0;
}

/// A triangulation of the whole sphere.
struct Triangulation {
  std::vector<Vector3> points;       ///< on the unit sphere
  std::vector<Triangle> corners;     ///< points, counter-clockwise seen from outside
  std::vector<Triangle> neighbours;  ///< triangle across the side opposite each corner

  LocalIndex n_points() const { return static_cast<LocalIndex>(points.size()); }
  LocalIndex n_triangles() const { return static_cast<LocalIndex>(corners.size()); }
};

/// Returns the triangulation of triangles in any orientation and order.
/// @param points on the unit sphere
/// @throws InputError if points are not on the unit sphere, or the triangles do not cover it once
Triangulation triangulation_of(std::span<const Vector3> points, std::span<const Triangle> triangles);

/// The twelve corners and twenty faces of the icosahedron that is symmetric about the planes of the axes.
Triangulation icosahedron();

/// Splits each triangle into four at the midpoints of its sides; the result has 4 n - 6 points. Neighbouring
/// points and triangles stay close in memory.
Triangulation bisected(const Triangulation& from);

/// Returns the triangulation with its points reordered, order[new] = old, and its triangles starting at their
/// smallest corner and sorted by corners: a unique form of the triangulation.
/// @throws InputError unless `order` is a permutation of the points
Triangulation ordered(const Triangulation& from, std::span<const LocalIndex> order);

/// Returns, for each point, the triangle of smallest index with that corner.
std::vector<LocalIndex> first_triangles(const Triangulation& t);

/// A side of a triangle, opposite corner `corner`.
struct Side {
  LocalIndex triangle;
  int corner;
};

/// Flips sides until every triangle is Delaunay, starting from the `suspects` (Lawson 1977). Every triangle
/// must run counter-clockwise, and flips keep this.
/// @param touched receives the changed triangles, some repeatedly
void restore_delaunay(Triangulation& t, std::vector<Side> suspects, std::vector<LocalIndex>& touched);

/// Adds points of the sphere to a Delaunay triangulation one by one: finds the triangle by walking from the
/// last one, splits it into three, and flips. Fast if consecutive points are close to each other.
/// @throws InputError if two points coincide
void insert(Triangulation& t, std::span<const Vector3> points);

}  // namespace halcyon::mesh
