#pragma once

#include <array>
#include <span>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// The Voronoi mesh of a Delaunay triangulation of the whole sphere. Cells keep the order of their
/// generators; edges and vertices are numbered as the cells touch them first, counter-clockwise; an edge's
/// first cell is its smaller one. Mesh density is 1.
/// @param generators points on the unit sphere (cell)
/// @param triangles three generators each (vertex), of any orientation
/// @throws InputError if the triangles do not cover the sphere once, or are not Delaunay
Mesh voronoi_mesh(std::span<const Vector3> generators, std::span<const std::array<LocalIndex, 3>> triangles);

}  // namespace halcyon::mesh
