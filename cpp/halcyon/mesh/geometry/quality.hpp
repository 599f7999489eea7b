#pragma once

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Errors of the discrete identities on which the operators rely; in a valid mesh about 1e-14 by rounding.
/// e, e': edges; w: weights_on_edge; d, d': dc_edge; l, l': dv_edge of e and e'.
struct Identities {
  double area;          ///< sum of cell areas / 4 pi - 1; limited area: sum of kites / sum of cell areas - 1
  double antisymmetry;  ///< d w(e, e') / l' + d' w(e', e) / l (Thuburn et al. 2009, equation 8)
  double divergence;  ///< tangential flux out of a triangle minus the kite-weighted mean of cell divergences
  double orthogonality;  ///< |unit normal . vertex arc| over the longer of vertex arc and cell arc
};

/// Returns the largest error of each identity. In a limited area, edges, weights and triangles with an
/// incomplete stencil are skipped.
Identities identities(const Mesh& mesh);

/// Quality measures of a mesh on the unit sphere. A triangle connects the three cells of a vertex; a vertex
/// arc is an edge of the Voronoi mesh, a cell arc an edge of a triangle.
struct Quality {
  double cell_min, cell_mean;          ///< of `cell_quality`
  double triangle_min, triangle_mean;  ///< of `triangle_quality`
  double dc_min, dc_mean, dc_max;      ///< cell arcs [rad]
  double area_ratio;                   ///< area of the largest cell over the smallest
  LocalIndex n_obtuse;                 ///< triangles whose circumcentre is outside
};

/// Computes the quality of a mesh; triangles that lack a cell (limited areas) are skipped.
Quality quality(const Mesh& mesh);

/// Shortest over longest vertex arc of a cell.
double cell_quality(const Mesh& mesh, LocalIndex cell);
/// Mean distance from a cell to its neighbours [rad].
double cell_spacing(const Mesh& mesh, LocalIndex cell);
/// Shortest over longest cell arc of a triangle; 0 if the triangle lacks a cell.
double triangle_quality(const Mesh& mesh, LocalIndex vertex);
/// Whether a triangle has all three cells and an obtuse corner.
bool is_obtuse(const Mesh& mesh, LocalIndex vertex);
/// Whether the triangle of a vertex lacks a cell (limited areas).
bool is_boundary_vertex(const Mesh& mesh, LocalIndex vertex);

}  // namespace halcyon::mesh
