#include <algorithm>

#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/connectivity.hpp"

namespace halcyon::mesh {
namespace {

double outward(const Mesh& mesh, LocalIndex edge, LocalIndex cell) {
  return mesh.cells_on_edge[edge][0] == cell ? 1.0 : -1.0;
}

/// Writes the other edges of `cell`, counter-clockwise from `edge`, with their weights, from entry `to` on.
/// @returns the entry behind them
LocalIndex list_edges_of(Mesh& mesh, LocalIndex edge, LocalIndex cell, LocalIndex to) {
  if (cell == kNone) return to;
  const LocalIndex begin = mesh.cell_offsets[cell], n = mesh.cell_offsets[cell + 1] - begin;
  const LocalIndex* edges = &mesh.edges_on_cell[begin];
  const LocalIndex* vertices = &mesh.vertices_on_cell[begin];
  LocalIndex at = static_cast<LocalIndex>(std::find(edges, edges + n, edge) - edges);
  const double scale = outward(mesh, edge, cell) / mesh.dc_edge[edge];
  double passed = 0;
  for (LocalIndex k = 1; k < n; ++k, ++to) {
    at = at + 1 == n ? 0 : at + 1;
    passed += kite_area(mesh, cell, vertices[at]) / mesh.area_cell[cell];
    const LocalIndex other = edges[at];
    mesh.edges_on_edge[to] = other;
    mesh.weights_on_edge[to] = scale * outward(mesh, other, cell) * (0.5 - passed) * mesh.dv_edge[other];
  }
  return to;
}

}  // namespace

void reconstruct_tangents(Mesh& mesh, int threads) {
  mesh.edge_offsets.assign(1, 0);
  mesh.edge_offsets.reserve(mesh.cells_on_edge.size() + 1);
  const auto others = [&](LocalIndex cell) {
    return cell == kNone ? 0 : mesh.cell_offsets[cell + 1] - mesh.cell_offsets[cell] - 1;
  };
  for (const auto& [first, second] : mesh.cells_on_edge)
    mesh.edge_offsets.push_back(mesh.edge_offsets.back() + others(first) + others(second));
  mesh.edges_on_edge.resize(mesh.edge_offsets.back());
  mesh.weights_on_edge.resize(mesh.edge_offsets.back());
  for_each_index(mesh.n_edges(), threads, [&](std::int64_t e) {
    const auto edge = static_cast<LocalIndex>(e);
    const auto [first, second] = mesh.cells_on_edge[e];
    list_edges_of(mesh, edge, second, list_edges_of(mesh, edge, first, mesh.edge_offsets[e]));
  });
}

}  // namespace halcyon::mesh
