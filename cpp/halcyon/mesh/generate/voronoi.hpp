#pragma once

#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Fills the lists of cells, edges and vertices (not those of edges on edge) from a triangulation: edges and
/// vertices as the cells touch them first, a cell's lists from its smallest neighbour on, an edge's first
/// cell being its smaller one. How the triangles are numbered does not matter.
/// @throws InputError if the triangles around a generator are not one ring
void connect(Mesh& mesh, const Triangulation& triangulation, int threads);

/// Fills edges_on_edge and weights_on_edge: u_perp(e) = sum_e' w(e, e') u(e'), with
/// w = n_ei n_e'i (1/2 - sum_v A_iv / A_i) l_e' / d_e, where the sum is over the vertices met walking
/// counter-clockwise in cell i from e to e' (Thuburn et al. 2009, equation 33; Ringler et al. 2010).
/// The edges of the first cell come first, then those of the second, if there is one. Needs lists, lengths
/// and areas.
void reconstruct_tangents(Mesh& mesh, int threads);

/// The Voronoi mesh of a Delaunay triangulation. Cells keep the order of their generators; edges and vertices
/// are numbered as the cells touch them first, counter-clockwise; an edge's first cell is its smaller one.
/// Mesh density is 1.
/// @param threads 0: one a processor; the mesh is the same to the bit for any number
/// @throws InputError if the triangles around a generator are not one ring, or not Delaunay, or too many
Mesh voronoi_mesh(const Triangulation& triangulation, int threads = 0);

}  // namespace halcyon::mesh
