#pragma once

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// How far a mesh is from the identities that the discretisation rests on; rounding leaves 1e-14.
struct Identities {
  double area;           ///< sum of cell areas / 4 pi - 1; of a limited area: sum of kites / sum of cells - 1
  double antisymmetry;   ///< d w(e, e') / l' + d' w(e', e) / l (Thuburn et al. 2009, equation 8)
  double divergence;     ///< of the tangential flux on triangles against the kite average of that on cells
  double orthogonality;  ///< vertex arc along the cell arc over the longer of the two: |cos| of their angle
};

/// The largest violation of each identity. Of a limited area, edges, weights and triangles count where
/// nothing that they are made of is cut off.
Identities identities(const Mesh& mesh);

/// The shape of a mesh in numbers. Lengths and areas are on the unit sphere.
struct Quality {
  double cell_min, cell_mean;          ///< shortest over longest vertex arc of a cell
  double triangle_min, triangle_mean;  ///< shortest over longest cell arc of a triangle
  double dc_min, dc_mean, dc_max;      ///< cell arcs [rad]
  double area_ratio;                   ///< largest cell over smallest
  LocalIndex n_obtuse;                 ///< triangles whose circumcentre lies outside
};

/// Shape of the mesh; triangles that are cut off do not count.
Quality quality(const Mesh& mesh);

/// Shortest over longest vertex arc of a cell.
double cell_quality(const Mesh& mesh, LocalIndex cell);
/// Mean distance to the neighbours [rad].
double cell_spacing(const Mesh& mesh, LocalIndex cell);
/// Shortest over longest cell arc; 0 where a corner is cut off.
double triangle_quality(const Mesh& mesh, LocalIndex vertex);
/// Whether a corner of the whole triangle is obtuse.
bool is_obtuse(const Mesh& mesh, LocalIndex vertex);
/// Whether a corner of the triangle is cut off.
bool is_boundary(const Mesh& mesh, LocalIndex vertex);

}  // namespace halcyon::mesh
