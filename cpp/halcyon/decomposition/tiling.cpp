#include "halcyon/decomposition/tiling.hpp"

#include <algorithm>

#include "halcyon/graph/partition.hpp"

namespace halcyon::decomposition {
namespace {

/// Returns flags that mark the first n entities.
Flags first_flags(const IndexMap& map, LocalIndex n) {
  Flags flags(map.size());
  std::fill_n(flags.begin(), n, std::uint8_t{1});
  return flags;
}

}  // namespace

bool Dependency::is_inner(LocalIndex item) const {
  return std::ranges::all_of(adjacency[item], [&](LocalIndex i) { return i != kNone && inner[i]; });
}

Flags split(Sweep& sweep, const Flags& requested, std::initializer_list<Dependency> dependencies) {
  Flags inner(requested.size()), boundary(requested.size());
  for (LocalIndex item = 0; item < static_cast<LocalIndex>(requested.size()); ++item) {
    const bool is_inner = std::ranges::all_of(
        dependencies, [&](const Dependency& dependency) { return dependency.is_inner(item); });
    if (requested[item]) (is_inner ? inner : boundary)[item] = 1;
  }
  sweep = {ranges_of(inner), ranges_of(boundary)};
  return inner;
}

Flags owned(const IndexMap& map) {
  return first_flags(map, map.n_owned);
}

Flags owned_and_halo(const IndexMap& map, std::size_t n_layers) {
  return first_flags(map, map.layer_offsets[n_layers]);
}

namespace {

/// Returns the tile of each cell of a rank; n_tiles for halo cells.
std::vector<Rank> tile_of_cell(const LocalMesh& rank_mesh, int n_tiles) {
  const auto& mesh = rank_mesh.mesh;
  const auto n_owned = rank_mesh.part.cells().n_owned;
  auto neighbours = mesh.cells_on_cell;
  std::ranges::replace_if(neighbours, [&](LocalIndex cell) { return cell >= n_owned; }, kNone);
  neighbours.resize(mesh.cell_offsets[n_owned]);
  auto tiles = graph::partition(
      graph::make_adjacency(std::span(mesh.cell_offsets).first(n_owned + 1), neighbours), n_tiles);
  tiles.resize(mesh.n_cells(), n_tiles);
  return tiles;
}

/// The cells of each tile, ascending.
Lists cells_of_tile(std::span<const Rank> tiles, int n_tiles) {
  Lists cells;
  cells.offsets.assign(n_tiles + 1, 0);
  for (const auto tile : tiles)
    if (tile < n_tiles) ++cells.offsets[tile + 1];
  for (int tile = 0; tile < n_tiles; ++tile) cells.offsets[tile + 1] += cells.offsets[tile];
  cells.values.resize(cells.offsets.back());
  auto next = cells.offsets;
  for (std::size_t cell = 0; cell < tiles.size(); ++cell)
    if (tiles[cell] < n_tiles) cells.values[next[tiles[cell]]++] = static_cast<LocalIndex>(cell);
  return cells;
}

}  // namespace

Tiling::Tiling(const LocalMesh& rank_mesh, LocalIndex cells_per_tile, int n_layers)
    : rank_mesh_(rank_mesh), n_layers_(n_layers), topology_(topology_of(rank_mesh.mesh)) {
  const auto n_owned = rank_mesh.part.cells().n_owned;
  const auto n_tiles = std::max(1, (n_owned + cells_per_tile / 2) / cells_per_tile);  // rounded
  tile_of_cell_ = tile_of_cell(rank_mesh, n_tiles);
  cells_of_tile_ = cells_of_tile(tile_of_cell_, n_tiles);
}

LocalMesh Tiling::tile(int number) const {
  return local_mesh(rank_mesh_.mesh,
                    decompose_cells(topology_, tile_of_cell_, cells_of_tile_[number], n_layers_),
                    rank_mesh_.most_edges);
}

std::vector<LocalIndex> parent_indices(const IndexMap& tile_map) {
  std::vector<LocalIndex> indices;
  for (const auto index : tile_map.to_global) indices.push_back(static_cast<LocalIndex>(index));
  return indices;
}

}  // namespace halcyon::decomposition
