#pragma once

#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Fills the lists of cells, edges and vertices (except edges_on_edge) from a triangulation, whose order does
/// not matter. Edges and vertices are numbered in the order of their first use by the cells; a cell's lists
/// start at the neighbour of smallest index; the first cell of an edge has the smaller index.
/// @throws InputError if the triangles around a generator (point) do not form one ring
void connect(Mesh& mesh, const Triangulation& triangulation, int threads);

/// Fills edges_on_edge and weights_on_edge: u_perp(e) = sum_e' w(e, e') u(e'), with
/// w = n_ei n_e'i (1/2 - sum_v A_iv / A_i) l_e' / d_e, where the sum is over the vertices v passed
/// counter-clockwise from e to e' around cell i (Thuburn et al. 2009, equation 33; Ringler et al. 2010).
///   n_ei = 1 if the normal of e points out of cell i, else -1;  A_i area_cell;  A_iv kite of cell i at v;
///   l dv_edge;  d dc_edge
/// The edges of e's first cell come first, then the edges of its second, if there is one. All other arrays of
/// the mesh must be filled.
void compute_tangential_weights(Mesh& mesh, int threads);

/// Returns the Voronoi mesh of a Delaunay triangulation. Cells keep the order of their generators; for edges
/// and vertices see `connect`. Mesh density is 1.
/// @param threads 0: one per processor; does not change any bit of the mesh
/// @throws InputError if the triangulation is not Delaunay, has too many points, or does not close
Mesh voronoi_mesh(const Triangulation& triangulation, int threads = 0);

}  // namespace halcyon::mesh
