#pragma once

#include <span>
#include <vector>

#include "halcyon/mesh/generate/triangulation.hpp"

namespace halcyon::mesh {

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
