#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// A spherical Voronoi mesh with MPAS' names and conventions, but zero-based: lists are counter-clockwise
/// seen from outside; the normal n of an edge points from its first cell to its second; the tangent k x n (k:
/// up) points from its first vertex to its second. `kNone` marks a cell or edge that is missing in a limited
/// area. Edge j of a cell runs from the cell's vertex j to vertex j + 1. All lengths and areas are on the
/// unit sphere; angles are in radians.
struct Mesh {
  // The lists of cell c are entries cell_offsets[c] .. cell_offsets[c + 1] - 1.
  std::vector<LocalIndex> cell_offsets;      ///< (n_cells + 1)
  std::vector<LocalIndex> cells_on_cell;     ///< neighbour across edges_on_cell, or kNone
  std::vector<LocalIndex> edges_on_cell;     ///< never kNone
  std::vector<LocalIndex> vertices_on_cell;  ///< never kNone

  std::vector<std::array<LocalIndex, 2>> cells_on_edge;     ///< the second is kNone on the outer boundary
  std::vector<std::array<LocalIndex, 2>> vertices_on_edge;  ///< never kNone
  std::vector<std::array<LocalIndex, 3>> cells_on_vertex;   ///< kNone where missing
  std::vector<std::array<LocalIndex, 3>> edges_on_vertex;   ///< kNone where missing

  // Tangential velocity (Thuburn et al. 2009): u_perp(e) = sum over i of weights_on_edge[i]
  // u(edges_on_edge[i]) for i = edge_offsets[e] .. edge_offsets[e + 1] - 1.
  std::vector<LocalIndex> edge_offsets;   ///< (n_edges + 1)
  std::vector<LocalIndex> edges_on_edge;  ///< kNone where missing
  std::vector<double> weights_on_edge;

  std::vector<Vector3> cell_points, edge_points, vertex_points;  ///< on the unit sphere
  std::vector<double> area_cell, area_triangle;  ///< (cell); (vertex) triangle of its three cells' centres
  std::vector<std::array<double, 3>> kite_areas_on_vertex;  ///< overlap of triangle and cell; 0 where missing
  std::vector<double> dc_edge, dv_edge;  ///< distance between the edge's cells; between its vertices [rad]
  std::vector<double> angle_edge;        ///< from east to the edge's normal, counter-clockwise [rad]
  std::vector<double> mesh_density;      ///< (cell) [1]; 1 in uniform meshes
  std::vector<double> bottom_depth;      ///< (cell) [m], positive down; empty for a mesh without depths

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_points.size()); }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(edge_points.size()); }
  LocalIndex n_vertices() const { return static_cast<LocalIndex>(vertex_points.size()); }
};

/// Area of the kite (overlap of a cell and the triangle of one of its vertices) on the unit sphere.
inline double kite_area(const Mesh& mesh, LocalIndex cell, LocalIndex vertex) {
  const auto& cells = mesh.cells_on_vertex[vertex];
  return mesh.kite_areas_on_vertex[vertex][cells[1] == cell ? 1 : cells[2] == cell ? 2 : 0];
}

}  // namespace halcyon::mesh
