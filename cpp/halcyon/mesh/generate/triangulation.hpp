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
/// Position of `point` among the corners of a triangle, which has it.
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

/// A triangulation from its triangles, of any orientation and order.
/// @param points on the unit sphere
/// @throws InputError if points are not on the unit sphere, or the triangles do not cover it once
Triangulation triangulation_of(std::span<const Vector3> points, std::span<const Triangle> triangles);

/// The twelve corners and twenty faces of the icosahedron that is symmetric about the planes of the axes.
Triangulation icosahedron();

/// Each triangle cut into four at the midpoints of its sides; points and triangles stay near in memory
/// where they were near before. Gives 4 n - 6 points.
Triangulation bisected(const Triangulation& from);

/// The same triangulation with points in the order given, order[new] = old, triangles starting at their
/// smallest corner and sorted by their corners: it does not depend on how it came about.
/// @throws InputError unless `order` is a permutation of the points
Triangulation ordered(const Triangulation& from, std::span<const LocalIndex> order);

/// For each point, the smallest triangle that has it.
std::vector<LocalIndex> first_triangles(const Triangulation& t);

/// A side of a triangle: the one opposite corner `corner`.
struct Side {
  LocalIndex triangle;
  int corner;
};

/// Flips sides until every triangle is Delaunay, starting from sides that may not be (Lawson 1977). Every
/// triangle must run counter-clockwise; none is ever turned over.
/// @param touched filled with the triangles that changed, some more than once
void restore_delaunay(Triangulation& t, std::vector<Side> suspects, std::vector<LocalIndex>& touched);

/// Adds points of the sphere to a Delaunay triangulation, one after the other: finds its triangle by walking
/// from the last one, cuts that in three, and flips. Fast where each point is near the one before.
/// @throws InputError if a point coincides with another
void insert(Triangulation& t, std::span<const Vector3> points);

}  // namespace halcyon::mesh
