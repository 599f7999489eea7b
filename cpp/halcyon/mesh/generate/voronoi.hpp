#pragma once

#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// The Voronoi mesh of a Delaunay triangulation. Cells keep the order of their generators; edges and vertices
/// are numbered as the cells touch them first, counter-clockwise; an edge's first cell is its smaller one.
/// Mesh density is 1.
/// @param threads 0: one a processor; the mesh is the same to the bit for any number
/// @throws InputError if the triangles around a generator are not one ring, or not Delaunay, or too many
Mesh voronoi_mesh(const Triangulation& triangulation, int threads = 0);

}  // namespace halcyon::mesh
