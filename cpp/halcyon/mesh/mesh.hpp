#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// A spherical Voronoi mesh with MPAS' names and conventions, but zero-based: lists are counter-clockwise
/// seen from outside, an edge's normal points from its first cell to its second, and its tangent, from its
/// first vertex to its second, is k x n. `kNone` marks a missing cell or edge (limited areas).
/// Edge j of a cell runs from its vertex j to its vertex j + 1. All lengths and areas are on the unit sphere;
/// angles are in radians.
struct Mesh {
  // Lists of cell c: entries cell_offsets[c] .. cell_offsets[c + 1].
  std::vector<LocalIndex> cell_offsets;      ///< (cell + 1)
  std::vector<LocalIndex> cells_on_cell;     ///< neighbour across edges_on_cell, or kNone
  std::vector<LocalIndex> edges_on_cell;     ///< never kNone
  std::vector<LocalIndex> vertices_on_cell;  ///< never kNone

  std::vector<std::array<LocalIndex, 2>> cells_on_edge;     ///< second is kNone on the outer boundary
  std::vector<std::array<LocalIndex, 2>> vertices_on_edge;  ///< never kNone
  std::vector<std::array<LocalIndex, 3>> cells_on_vertex;   ///< kNone where cut off
  std::vector<std::array<LocalIndex, 3>> edges_on_vertex;   ///< kNone where cut off

  // Tangential reconstruction (Thuburn et al. 2009): entries edge_offsets[e] .. edge_offsets[e + 1].
  std::vector<LocalIndex> edge_offsets;   ///< (edge + 1)
  std::vector<LocalIndex> edges_on_edge;  ///< kNone where cut off
  std::vector<double> weights_on_edge;

  std::vector<Vector3> cell_points, edge_points, vertex_points;  ///< on the unit sphere
  std::vector<double> area_cell, area_triangle;                  ///< unit sphere
  std::vector<std::array<double, 3>> kite_areas_on_vertex;       ///< parallel to cells_on_vertex; 0 where cut
  /// off
  std::vector<double> dc_edge, dv_edge;  ///< unit sphere
  std::vector<double> angle_edge;        ///< from east to the edge's normal, counter-clockwise [rad]
  std::vector<double> mesh_density;      ///< (cell)
  std::vector<double> bottom_depth;      ///< (cell) [m], positive down; empty for a mesh without depths

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_points.size()); }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(edge_points.size()); }
  LocalIndex n_vertices() const { return static_cast<LocalIndex>(vertex_points.size()); }
};

/// Area [unit sphere] of the kite of a cell at one of its vertices.
inline double kite_area(const Mesh& mesh, LocalIndex cell, LocalIndex vertex) {
  const auto& cells = mesh.cells_on_vertex[vertex];
  return mesh.kite_areas_on_vertex[vertex][cells[1] == cell ? 1 : cells[2] == cell ? 2 : 0];
}

}  // namespace halcyon::mesh
