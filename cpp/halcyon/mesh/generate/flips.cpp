#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/generate/predicates.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"

namespace halcyon::mesh {
namespace {

/// Returns the side of the neighbouring triangle that coincides with `side`. A side is given by a triangle
/// and the corner opposite the side.
Side twin_of(const Triangulation& t, Side side) {
  const LocalIndex other = t.neighbours[side.triangle][side.corner];
  const Triangle& back = t.neighbours[other];
  return {other, back[0] == side.triangle ? 0 : back[1] == side.triangle ? 1 : 2};
}

int orientation_of(const Triangulation& t, LocalIndex a, LocalIndex b, LocalIndex c) {
  return orientation(t.points[a], t.points[b], t.points[c]);
}

/// Replaces the neighbour `from` of a triangle by `to`.
void replace_neighbour(Triangulation& t, LocalIndex triangle, LocalIndex from, LocalIndex to) {
  for (LocalIndex& neighbour : t.neighbours[triangle])
    if (neighbour == from) {
      neighbour = to;
      return;
    }
}

/// Flips the side a b between the triangles p a b and q b a: the triangles become p a q and p q b.
void flip(Triangulation& t, Side near, Side far) {
  const auto [near_triangle, k] = near;
  const auto [far_triangle, j] = far;
  const Triangle corners = t.corners[near_triangle];
  const LocalIndex p = corners[k], a = corners[next_corner(k)], b = corners[previous_corner(k)];
  const LocalIndex q = t.corners[far_triangle][j];
  const LocalIndex beyond_bp = t.neighbours[near_triangle][next_corner(k)];
  const LocalIndex beyond_pa = t.neighbours[near_triangle][previous_corner(k)];
  const LocalIndex beyond_aq = t.neighbours[far_triangle][next_corner(j)];
  const LocalIndex beyond_qb = t.neighbours[far_triangle][previous_corner(j)];
  t.corners[near_triangle] = {p, a, q};
  t.neighbours[near_triangle] = {beyond_aq, far_triangle, beyond_pa};
  t.corners[far_triangle] = {p, q, b};
  t.neighbours[far_triangle] = {beyond_qb, beyond_bp, near_triangle};
  replace_neighbour(t, beyond_aq, far_triangle, near_triangle);
  replace_neighbour(t, beyond_bp, near_triangle, far_triangle);
}

/// Whether both triangles would run counter-clockwise after a flip.
bool can_flip(const Triangulation& t, Side near, Side far) {
  const Triangle& corners = t.corners[near.triangle];
  const int k = near.corner;
  const LocalIndex p = corners[k], a = corners[next_corner(k)], b = corners[previous_corner(k)];
  const LocalIndex q = t.corners[far.triangle][far.corner];
  return orientation_of(t, p, a, q) > 0 && orientation_of(t, p, q, b) > 0;
}

/// Whether the corner on the far side is inside the circumcircle of the near triangle.
bool must_flip(const Triangulation& t, Side near) {
  const Triangle& c = t.corners[near.triangle];
  const Side far = twin_of(t, near);
  const LocalIndex q = t.corners[far.triangle][far.corner];
  return in_circle(t.points[c[0]], t.points[c[1]], t.points[c[2]], t.points[q]) > 0;
}

/// Returns the triangle that contains a point; the search steps from `triangle` towards the point.
LocalIndex find_triangle(const Triangulation& t, Vector3 point, LocalIndex triangle) {
  for (LocalIndex steps = 0; steps < t.n_triangles(); ++steps) {
    const Triangle& c = t.corners[triangle];
    int k = 0;
    while (k < 3 && orientation(t.points[c[next_corner(k)]], t.points[c[previous_corner(k)]], point) >= 0)
      ++k;
    if (k == 3) return triangle;
    triangle = t.neighbours[triangle][k];
  }
  throw InternalError("A point is outside all triangles.");
}

void require_new_point(const Triangulation& t, Vector3 point, LocalIndex triangle) {
  for (const LocalIndex corner : t.corners[triangle]) {
    const Vector3 gap = t.points[corner] - point;
    require<InputError>(dot(gap, gap) > 0, "Point ({}, {}, {}) is given twice. Remove duplicate points.",
                        point.x, point.y, point.z);
  }
}

/// Splits a triangle a b c at a new point p: p b c takes the index of a b c; p c a and p a b are appended.
/// @returns the index of p c a
LocalIndex split(Triangulation& t, Vector3 point, LocalIndex first) {
  const LocalIndex p = t.n_points(), second = t.n_triangles(), third = second + 1;
  const auto [a, b, c] = t.corners[first];
  const auto [beyond_bc, beyond_ca, beyond_ab] = t.neighbours[first];
  t.points.push_back(point);
  t.corners[first] = {p, b, c};
  t.corners.insert(t.corners.end(), {{p, c, a}, {p, a, b}});
  t.neighbours[first] = {beyond_bc, second, third};
  t.neighbours.insert(t.neighbours.end(), {{beyond_ca, third, first}, {beyond_ab, first, second}});
  replace_neighbour(t, beyond_ca, first, second);
  replace_neighbour(t, beyond_ab, first, third);
  return second;
}

}  // namespace

void restore_delaunay(Triangulation& t, std::vector<Side> suspects, std::vector<LocalIndex>& touched) {
  std::ranges::reverse(suspects);
  while (!suspects.empty()) {
    const Side near = suspects.back();
    suspects.pop_back();
    if (!must_flip(t, near)) continue;
    const Side far = twin_of(t, near);
    if (!can_flip(t, near, far)) continue;
    flip(t, near, far);
    touched.insert(touched.end(), {near.triangle, far.triangle});
    suspects.insert(suspects.end(),  // the four outer sides of both triangles
                    {{near.triangle, 0}, {near.triangle, 2}, {far.triangle, 0}, {far.triangle, 1}});
  }
}

void insert(Triangulation& t, std::span<const Vector3> points) {
  t.points.reserve(t.points.size() + points.size());
  t.corners.reserve(t.corners.size() + 2 * points.size());
  t.neighbours.reserve(t.neighbours.size() + 2 * points.size());
  LocalIndex triangle = t.n_triangles() - 1;
  std::vector<LocalIndex> touched;
  for (const Vector3& point : points) {
    triangle = find_triangle(t, point, triangle);
    require_new_point(t, point, triangle);
    const LocalIndex second = split(t, point, triangle);
    restore_delaunay(t, {{triangle, 0}, {second, 0}, {second + 1, 0}}, touched);
  }
}

}  // namespace halcyon::mesh
