#include <algorithm>

#include "halcyon/mesh/connectivity.hpp"

namespace halcyon::mesh {
namespace {

/// The area that cell `c` and vertex `v` share.
double kite_area(const Mesh& mesh, LocalIndex c, LocalIndex v) {
  const auto& cells = mesh.cells_on_vertex[v];
  return mesh.kite_areas_on_vertex[v][std::find(cells.begin(), cells.end(), c) - cells.begin()];
}

double outward(const Mesh& mesh, LocalIndex edge, LocalIndex cell) {
  return mesh.cells_on_edge[edge][0] == cell ? 1.0 : -1.0;
}

/// Appends the other edges of `cell`, counter-clockwise from `edge`, with their weights.
void append_edges_of(Mesh& mesh, LocalIndex edge, LocalIndex cell) {
  const LocalIndex begin = mesh.cell_offsets[cell], n = mesh.cell_offsets[cell + 1] - begin;
  const LocalIndex* edges = &mesh.edges_on_cell[begin];
  const LocalIndex* vertices = &mesh.vertices_on_cell[begin];
  LocalIndex at = static_cast<LocalIndex>(std::find(edges, edges + n, edge) - edges);
  const double scale = outward(mesh, edge, cell) / mesh.dc_edge[edge];
  double passed = 0;
  for (LocalIndex k = 1; k < n; ++k) {
    at = at + 1 == n ? 0 : at + 1;
    passed += kite_area(mesh, cell, vertices[at]) / mesh.area_cell[cell];
    const LocalIndex other = edges[at];
    mesh.edges_on_edge.push_back(other);
    mesh.weights_on_edge.push_back(scale * outward(mesh, other, cell) * (0.5 - passed) * mesh.dv_edge[other]);
  }
}

}  // namespace

void reconstruct_tangents(Mesh& mesh) {
  mesh.edge_offsets.assign(1, 0);
  mesh.edge_offsets.reserve(mesh.cells_on_edge.size() + 1);
  mesh.edges_on_edge.reserve(10 * mesh.cells_on_edge.size());
  mesh.weights_on_edge.reserve(10 * mesh.cells_on_edge.size());
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    for (const LocalIndex cell : mesh.cells_on_edge[e])
      if (cell != kNone) append_edges_of(mesh, e, cell);
    mesh.edge_offsets.push_back(static_cast<LocalIndex>(mesh.edges_on_edge.size()));
  }
}

}  // namespace halcyon::mesh
