#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

Shared share(Lists on_cell, LocalIndex n_shared) {
  std::vector<LocalIndex> offsets(n_shared + 1, 0);
  for (const auto entity : on_cell.values) ++offsets[entity + 1];
  for (LocalIndex i = 0; i < n_shared; ++i) offsets[i + 1] += offsets[i];
  std::vector<LocalIndex> cells(on_cell.values.size());
  auto next = offsets;
  for (LocalIndex cell = 0; cell < on_cell.size(); ++cell) {
    for (const auto entity : on_cell[cell]) cells[next[entity]++] = cell;
  }
  return {std::move(on_cell), {std::move(offsets), std::move(cells)}};
}

Topology topology_of(const mesh::Mesh& mesh) {
  Topology topology;
  auto& neighbours = topology.cells_on_cell;
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      if (mesh.cells_on_cell[i] != kNone) neighbours.values.push_back(mesh.cells_on_cell[i]);
    }
    neighbours.close();
  }
  topology.shared.push_back(share({mesh.cell_offsets, mesh.edges_on_cell}, mesh.n_edges()));
  topology.shared.push_back(share({mesh.cell_offsets, mesh.vertices_on_cell}, mesh.n_vertices()));
  return topology;
}

}  // namespace halcyon::decomposition
