#include "halcyon/decomposition/local_mesh.hpp"

#include <algorithm>

#include "halcyon/base/checksum.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/mesh/geometry/cut.hpp"

namespace halcyon::decomposition {
namespace {

void renumber_list(std::vector<LocalIndex>& list, const GlobalToLocal& to_local) {
  for (auto& index : list) index = to_local(index);
}

template <std::size_t K>
void renumber_list(std::vector<std::array<LocalIndex, K>>& rows, const GlobalToLocal& to_local) {
  for (auto& row : rows)
    for (auto& index : row) index = to_local(index);
}

}  // namespace

LocalMesh local_mesh(const mesh::Mesh& whole, std::span<const Rank> owners, Rank rank, int n_layers) {
  return local_mesh(whole, decompose(topology_of(whole), owners, rank, n_layers));
}

LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part) {
  return local_mesh(whole, std::move(part), most_edges(whole));
}

LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part, LocalIndex most_edges) {
  LocalMesh local{.part = std::move(part),
                  .mesh = {},
                  .n_items = {whole.n_cells(), whole.n_edges(), whole.n_vertices()},
                  .most_edges = most_edges};
  const auto& index_maps = local.part.index_maps;
  local.mesh = mesh::select_without_renumbering(whole, index_maps[0].to_global, index_maps[1].to_global,
                                                index_maps[2].to_global);
  renumber(local.mesh, local.part);
  return local;
}

std::uint64_t checksum(const LocalMesh& local) {
  constexpr std::uint64_t kPositions = 64;  // reserved for the numbers of a cell: 5, and 3 per edge
  const auto& m = local.mesh;
  const auto& cells = local.part.cells();
  std::uint64_t sum = 0;
  for (LocalIndex cell = 0; cell < cells.n_owned; ++cell) {
    std::uint64_t position = kPositions * cells.to_global[cell];
    const auto [x, y, z] = m.cell_points[cell];
    for (const double number :
         {x, y, z, m.area_cell[cell], m.bottom_depth.empty() ? 0. : m.bottom_depth[cell]})
      sum += hash_of(bits_of(number), position++);
    for (auto i = m.cell_offsets[cell]; i < m.cell_offsets[cell + 1]; ++i) {
      const auto other = m.cells_on_cell[i];
      const auto edge = m.edges_on_cell[i];
      sum += hash_of(bits_of(other == kNone ? GlobalIndex{kNone} : cells.to_global[other]), position++);
      sum += hash_of(bits_of(m.dc_edge[edge]), position++);
      sum += hash_of(bits_of(m.dv_edge[edge]), position++);
    }
  }
  return sum;
}

LocalIndex most_edges(const mesh::Mesh& mesh) {
  LocalIndex most = 0;
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell)
    most = std::max(most, mesh.cell_offsets[cell + 1] - mesh.cell_offsets[cell]);
  return most;
}

void renumber(mesh::Mesh& local_mesh, const Decomposition& part) {
  const GlobalToLocal cells(part.index_maps[0].to_global), edges(part.index_maps[1].to_global),
      vertices(part.index_maps[2].to_global);
  renumber_list(local_mesh.cells_on_cell, cells);
  renumber_list(local_mesh.cells_on_edge, cells);
  renumber_list(local_mesh.cells_on_vertex, cells);
  renumber_list(local_mesh.edges_on_cell, edges);
  renumber_list(local_mesh.edges_on_edge, edges);
  renumber_list(local_mesh.edges_on_vertex, edges);
  renumber_list(local_mesh.vertices_on_cell, vertices);
  renumber_list(local_mesh.vertices_on_edge, vertices);
}

}  // namespace halcyon::decomposition
