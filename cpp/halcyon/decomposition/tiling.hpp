#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "halcyon/base/rows.hpp"
#include "halcyon/decomposition/local_mesh.hpp"

namespace halcyon::decomposition {

/// The owned cells of a rank cut into tiles of neighbouring cells by METIS. A tile is a part of the rank's
/// mesh, with layers of cells around it, as that is of the whole one: its `to_global` are the rank's numbers.
/// Where one tile after the other is computed whole, what its sweeps hand on stays in the cache.
class Tiling {
 public:
  /// @param rank with as many halo layers or more; stays where it is  @param n_cells of a tile, about
  Tiling(const LocalMesh& rank, LocalIndex n_cells, int n_layers);

  int n_tiles() const { return cells_.size(); }
  LocalMesh tile(int number) const;

 private:
  const LocalMesh& rank_;
  int n_layers_;
  Topology topology_;
  std::vector<Rank> owners_;  ///< the tile of a cell of the rank (local cell)
  Lists cells_;               ///< (tile)
};

/// The rank's numbers of what a tile holds.
std::vector<LocalIndex> places(const Share& of_tile);

/// Copies columns of a field of the rank to a tile, from the places where its items stand there.
template <class Real>
void take(std::span<const Run> items, std::span<const LocalIndex> places, int n_levels, In<Real> of_rank,
          std::span<Real> of_tile) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_rank, places[i], n_levels), column(of_tile, i, n_levels).begin());
  });
}

/// The same back.
template <class Real>
void give(std::span<const Run> items, std::span<const LocalIndex> places, int n_levels, In<Real> of_tile,
          std::span<Real> of_rank) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_tile, i, n_levels), column(of_rank, places[i], n_levels).begin());
  });
}

}  // namespace halcyon::decomposition
