#include "halcyon/decomposition/tiling.hpp"

#include <algorithm>

#include "halcyon/graph/partition.hpp"

namespace halcyon::decomposition {

namespace {

/// The first `n` of a share.
Flags first(const Share& share, LocalIndex n) {
  Flags flags(share.size());
  std::fill_n(flags.begin(), n, std::uint8_t{1});
  return flags;
}

}  // namespace

bool Need::is_early(LocalIndex item) const {
  return std::ranges::all_of(beside[item], [&](LocalIndex i) { return i != kNone && early[i]; });
}

Flags split(Sweep& sweep, const Flags& wanted, std::initializer_list<Need> needs) {
  Flags early(wanted.size()), late(wanted.size());
  for (LocalIndex item = 0; item < static_cast<LocalIndex>(wanted.size()); ++item) {
    const bool is_early = std::ranges::all_of(needs, [&](const Need& need) { return need.is_early(item); });
    if (wanted[item]) (is_early ? early : late)[item] = 1;
  }
  sweep = {runs_of(early), runs_of(late)};
  return early;
}

Flags owned(const Share& share) {
  return first(share, share.n_owned);
}

Flags near(const Share& share, std::size_t n_layers) {
  return first(share, share.layer_offsets[n_layers]);
}

namespace {

/// The tile of each cell of a rank; cells of other ranks are of none, and have the number of tiles.
std::vector<Rank> tile_of_cell(const LocalMesh& rank, int n_tiles) {
  const auto& mesh = rank.mesh;
  const auto n = rank.part.cells().n_owned;
  auto beside = mesh.cells_on_cell;
  std::ranges::replace_if(beside, [&](LocalIndex cell) { return cell >= n; }, kNone);
  beside.resize(mesh.cell_offsets[n]);
  auto owners =
      graph::partition(graph::make_adjacency(std::span(mesh.cell_offsets).first(n + 1), beside), n_tiles);
  owners.resize(mesh.n_cells(), n_tiles);
  return owners;
}

/// The cells of each tile, ascending.
Lists cells_of_tile(std::span<const Rank> owners, int n_tiles) {
  Lists cells;
  cells.offsets.assign(n_tiles + 1, 0);
  for (const auto owner : owners)
    if (owner < n_tiles) ++cells.offsets[owner + 1];
  for (int tile = 0; tile < n_tiles; ++tile) cells.offsets[tile + 1] += cells.offsets[tile];
  cells.values.resize(cells.offsets.back());
  auto next = cells.offsets;
  for (std::size_t cell = 0; cell < owners.size(); ++cell)
    if (owners[cell] < n_tiles) cells.values[next[owners[cell]]++] = static_cast<LocalIndex>(cell);
  return cells;
}

}  // namespace

Tiling::Tiling(const LocalMesh& rank, LocalIndex n_cells, int n_layers)
    : rank_(rank), n_layers_(n_layers), topology_(topology_of(rank.mesh)) {
  const auto n_tiles = std::max(1, (rank.part.cells().n_owned + n_cells / 2) / n_cells);
  owners_ = tile_of_cell(rank, n_tiles);
  cells_ = cells_of_tile(owners_, n_tiles);
}

LocalMesh Tiling::tile(int number) const {
  return local_mesh(rank_.mesh, surrounded(topology_, owners_, cells_[number], n_layers_), rank_.most_edges);
}

std::vector<LocalIndex> places(const Share& of_tile) {
  std::vector<LocalIndex> found;
  for (const auto place : of_tile.to_global) found.push_back(static_cast<LocalIndex>(place));
  return found;
}

}  // namespace halcyon::decomposition
