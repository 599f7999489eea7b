#include <algorithm>

#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/geometry/connectivity.hpp"

namespace halcyon::mesh {
namespace {

/// What the weights of a cell's edges on each other are made of, in the order of its lists.
struct CellShares {
  std::vector<double> kite, outward, length;  ///< share of the vertex in the area; n_ei; l_e

  void gather(const Mesh& mesh, LocalIndex cell) {
    for (auto* values : {&kite, &outward, &length}) values->clear();
    for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      const LocalIndex edge = mesh.edges_on_cell[i];
      kite.push_back(kite_area(mesh, cell, mesh.vertices_on_cell[i]) / mesh.area_cell[cell]);
      outward.push_back(mesh.cells_on_edge[edge][0] == cell ? 1.0 : -1.0);
      length.push_back(mesh.dv_edge[edge]);
    }
  }
};

LocalIndex n_sides(const Mesh& mesh, LocalIndex cell) {
  return cell == kNone ? 0 : mesh.cell_offsets[cell + 1] - mesh.cell_offsets[cell];
}

/// Writes, for each edge of a cell, the others counter-clockwise from it with their weights: at the front of
/// its list if the cell is its first, else behind those of the first.
void list_edges_of(Mesh& mesh, LocalIndex cell, const CellShares& shares) {
  const LocalIndex n = n_sides(mesh, cell);
  const LocalIndex* edges = &mesh.edges_on_cell[mesh.cell_offsets[cell]];
  for (LocalIndex j = 0; j < n; ++j) {
    const LocalIndex edge = edges[j], first = mesh.cells_on_edge[edge][0];
    LocalIndex to = mesh.edge_offsets[edge] + (first == cell ? 0 : n_sides(mesh, first) - 1);
    const double scale = shares.outward[j] / mesh.dc_edge[edge];
    double passed = 0;
    for (LocalIndex k = 1, at = j; k < n; ++k, ++to) {
      at = at + 1 == n ? 0 : at + 1;
      passed += shares.kite[at];
      mesh.edges_on_edge[to] = edges[at];
      mesh.weights_on_edge[to] = scale * shares.outward[at] * (0.5 - passed) * shares.length[at];
    }
  }
}

}  // namespace

void reconstruct_tangents(Mesh& mesh, int threads) {
  mesh.edge_offsets.assign(1, 0);
  mesh.edge_offsets.reserve(mesh.cells_on_edge.size() + 1);
  for (const auto& [first, second] : mesh.cells_on_edge)
    mesh.edge_offsets.push_back(mesh.edge_offsets.back() + n_sides(mesh, first) - 1 +
                                std::max(0, n_sides(mesh, second) - 1));
  mesh.edges_on_edge.resize(mesh.edge_offsets.back());
  mesh.weights_on_edge.resize(mesh.edge_offsets.back());
  for_blocks(mesh.n_cells(), threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    CellShares shares;
    for (auto cell = static_cast<LocalIndex>(begin); cell < end; ++cell) {
      shares.gather(mesh, cell);
      list_edges_of(mesh, cell, shares);
    }
  });
}

}  // namespace halcyon::mesh
