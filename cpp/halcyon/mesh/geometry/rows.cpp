#include "halcyon/mesh/geometry/rows.hpp"

#include "halcyon/mesh/geometry/pick.hpp"

namespace halcyon::mesh {
namespace {

using Ids = std::span<const GlobalIndex>;

template <class T>
std::vector<T> pick_lists(const std::vector<LocalIndex>& offsets, const std::vector<T>& values, Ids ids) {
  std::vector<T> picked;
  for (const auto id : ids)
    picked.insert(picked.end(), values.begin() + offsets[id], values.begin() + offsets[id + 1]);
  return picked;
}

}  // namespace

Mesh rows(const Mesh& m, Ids cells, Ids edges, Ids vertices) {
  return {
      .cell_offsets = pick_offsets(m.cell_offsets, cells),
      .cells_on_cell = pick_lists(m.cell_offsets, m.cells_on_cell, cells),
      .edges_on_cell = pick_lists(m.cell_offsets, m.edges_on_cell, cells),
      .vertices_on_cell = pick_lists(m.cell_offsets, m.vertices_on_cell, cells),
      .cells_on_edge = pick(m.cells_on_edge, edges),
      .vertices_on_edge = pick(m.vertices_on_edge, edges),
      .cells_on_vertex = pick(m.cells_on_vertex, vertices),
      .edges_on_vertex = pick(m.edges_on_vertex, vertices),
      .edge_offsets = pick_offsets(m.edge_offsets, edges),
      .edges_on_edge = pick_lists(m.edge_offsets, m.edges_on_edge, edges),
      .weights_on_edge = pick_lists(m.edge_offsets, m.weights_on_edge, edges),
      .cell_points = pick(m.cell_points, cells),
      .edge_points = pick(m.edge_points, edges),
      .vertex_points = pick(m.vertex_points, vertices),
      .area_cell = pick(m.area_cell, cells),
      .area_triangle = pick(m.area_triangle, vertices),
      .kite_areas_on_vertex = pick(m.kite_areas_on_vertex, vertices),
      .dc_edge = pick(m.dc_edge, edges),
      .dv_edge = pick(m.dv_edge, edges),
      .angle_edge = pick(m.angle_edge, edges),
      .mesh_density = pick(m.mesh_density, cells),
      .bottom_depth = pick(m.bottom_depth, cells),
  };
}

}  // namespace halcyon::mesh
