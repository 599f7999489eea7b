#pragma once

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Errors of the discrete identities of a mesh on which the operators rely; about 1e-14 by rounding.
struct Identities {
  double area;           ///< sum of cell areas / 4 pi - 1; limited area: sum of kites / sum of cells - 1
  double antisymmetry;   ///< d w(e, e') / l' + d' w(e', e) / l (Thuburn et al. 2009, equation 8)
  double divergence;     ///< tangential flux out of triangles minus the kite average of the cell divergence
  double orthogonality;  ///< |cos| of the angle between vertex arc and cell arc (times their length over the
  /// longer)
};

/// Returns the largest error of each identity. In a limited area, edges, weights and triangles count only if
/// their stencil is complete.
Identities identities(const Mesh& mesh);

/// Quality measures of a mesh. Lengths and areas are on the unit sphere.
struct Quality {
  double cell_min, cell_mean;          ///< shortest over longest vertex arc of a cell
  double triangle_min, triangle_mean;  ///< shortest over longest cell arc of a triangle
  double dc_min, dc_mean, dc_max;      ///< cell arcs [rad]
  double area_ratio;                   ///< largest cell over smallest
  LocalIndex n_obtuse;                 ///< obtuse triangles: circumcentre outside
};

/// Computes the quality of a mesh; incomplete triangles do not count.
Quality quality(const Mesh& mesh);

/// Shortest over longest vertex arc of a cell.
double cell_quality(const Mesh& mesh, LocalIndex cell);
/// Mean distance to the neighbours [rad].
double cell_spacing(const Mesh& mesh, LocalIndex cell);
/// Shortest over longest cell arc of a triangle; 0 if a corner is cut off.
double triangle_quality(const Mesh& mesh, LocalIndex vertex);
/// Whether a triangle is complete and has an obtuse corner.
bool is_obtuse(const Mesh& mesh, LocalIndex vertex);
/// Whether a corner of the triangle is cut off.
bool is_boundary(const Mesh& mesh, LocalIndex vertex);

}  // namespace halcyon::mesh
