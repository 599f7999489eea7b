#pragma once

#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Fills the lists of cells, edges and vertices (except edges_on_edge) from a triangulation. Edges and
/// vertices are numbered in the order of their first use by the cells; a cell's lists start at its smallest
/// neighbour; the first cell of an edge is the smaller one. The order of the triangles does not matter.
/// @throws InputError if the triangles around a generator are not one ring
void connect(Mesh& mesh, const Triangulation& triangulation, int threads);

/// Fills edges_on_edge and weights_on_edge: u_perp(e) = sum_e' w(e, e') u(e'), with
/// w = n_ei n_e'i (1/2 - sum_v A_iv / A_i) l_e' / d_e, where the sum is over the vertices on the
/// counter-clockwise way from e to e' in cell i (Thuburn et al. 2009, equation 33; Ringler et al. 2010).
/// The edges of the first cell come first, then the edges of the second, if there is one. The mesh must have
/// its lists, lengths and areas.
void reconstruct_tangents(Mesh& mesh, int threads);

/// Returns the Voronoi mesh of a Delaunay triangulation. Cells keep the order of their generators; for edges
/// and vertices see `connect`. Mesh density is 1.
/// @param threads 0: one per processor; the mesh does not depend on it, to the bit
/// @throws InputError if the triangles around a generator are not one ring, are not Delaunay, or are too many
Mesh voronoi_mesh(const Triangulation& triangulation, int threads = 0);

}  // namespace halcyon::mesh
