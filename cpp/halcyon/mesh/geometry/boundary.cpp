#include "halcyon/mesh/geometry/boundary.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// All cells that neighbours join to `root` over cells of `open`, which are closed behind.
std::vector<LocalIndex> take_part(const graph::NeighbourLists& cells_on_cell, LocalIndex root, Flags& open) {
  std::vector<LocalIndex> part{root};
  open[root] = 0;
  for (std::size_t at = 0; at < part.size(); ++at) {
    for (const LocalIndex other : cells_on_cell[part[at]]) {
      if (other == kNone || !open[other]) continue;
      open[other] = 0;
      part.push_back(other);
    }
  }
  return part;
}

bool is_dead_end(const graph::NeighbourLists& cells_on_cell, LocalIndex cell, const Flags& kept) {
  return std::ranges::count_if(cells_on_cell[cell],
                               [&](LocalIndex other) { return other != kNone && kept[other]; }) < 2;
}

}  // namespace

Flags largest_part(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags open(keep.begin(), keep.end());
  std::vector<LocalIndex> largest;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell) {
    if (!open[cell]) continue;
    auto part = take_part(cells_on_cell, cell, open);
    if (part.size() > largest.size()) largest = std::move(part);
  }
  Flags kept(keep.size(), 0);
  for (const LocalIndex cell : largest) kept[cell] = 1;
  return kept;
}

Flags without_dead_ends(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags kept(keep.begin(), keep.end());
  std::vector<LocalIndex> doubtful;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell)
    if (kept[cell]) doubtful.push_back(cell);
  while (!doubtful.empty()) {
    const LocalIndex cell = doubtful.back();
    doubtful.pop_back();
    if (!kept[cell] || !is_dead_end(cells_on_cell, cell, kept)) continue;
    kept[cell] = 0;
    for (const LocalIndex other : cells_on_cell[cell])
      if (other != kNone && kept[other]) doubtful.push_back(other);
  }
  return kept;
}

Flags clean(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  require<InputError>(std::ssize(keep) == cells_on_cell.n_nodes(),
                      "keep has {} entries, but the mesh has {} cells. Give one entry a cell.", keep.size(),
                      cells_on_cell.n_nodes());
  return without_dead_ends(cells_on_cell, largest_part(cells_on_cell, keep));
}

}  // namespace halcyon::mesh
