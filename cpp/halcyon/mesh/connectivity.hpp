#pragma once

#include <array>
#include <span>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Fills the lists of cells, edges and vertices (not those of edges on edge) from a closed triangulation.
/// @throws InputError if a triangle names a generator that is not there, or the triangles do not close
/// around every generator
void connect(Mesh& mesh, std::span<const std::array<LocalIndex, 3>> triangles);

/// Fills edges_on_edge and weights_on_edge: u_perp(e) = sum_e' w(e, e') u(e'), with
/// w = n_ei n_e'i (1/2 - sum_v A_iv / A_i) l_e' / d_e, where the sum is over the vertices met walking
/// counter-clockwise in cell i from e to e' (Thuburn et al. 2009, equation 33; Ringler et al. 2010).
/// The edges of the first cell come first, then those of the second, if there is one. Needs lists, lengths
/// and areas.
void reconstruct_tangents(Mesh& mesh);

}  // namespace halcyon::mesh
