#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "halcyon/base/rows.hpp"
#include "halcyon/base/runs.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/decomposition/local_mesh.hpp"

namespace halcyon::decomposition {

/// What lies beside the items of a kind in a list of the mesh, kNone where something is missing; without a
/// list each item itself.
class Beside {
 public:
  Beside() = default;
  /// Entries offsets[i] .. offsets[i + 1] are those of item i.
  Beside(std::span<const LocalIndex> offsets, std::span<const LocalIndex> items)
      : offsets_(offsets), items_(items) {}
  template <std::size_t K>
  Beside(const std::vector<std::array<LocalIndex, K>>& items)
      : items_(items.empty() ? nullptr : items.front().data(), K * items.size()), of_each_(K) {}

  /// Valid as long as `item` is.
  std::span<const LocalIndex> operator[](const LocalIndex& item) const {
    if (of_each_ > 0) return items_.subspan(item * of_each_, of_each_);
    if (offsets_.empty()) return {&item, 1};
    return items_.subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

 private:
  std::span<const LocalIndex> offsets_, items_;
  std::size_t of_each_ = 0;
};

/// The items that a sweep computes: those that need nothing from the halo, directly or by what other sweeps
/// gave, and those that wait for it.
struct Sweep {
  Runs early, late;

  const Runs& part(bool is_early) const { return is_early ? early : late; }
};

/// What an item needs: those beside it of another sweep, or of a state, of which some are early.
struct Need {
  Beside beside;
  const Flags& early;

  bool is_early(LocalIndex item) const;
};

/// The sweep of what is wanted: an item is early where all that it needs is. @returns what is early
Flags split(Sweep& sweep, const Flags& wanted, std::initializer_list<Need> needs);

/// Which of a share are owned.
Flags owned(const Share& share);
/// The owned ones and those of some halo layers.
Flags near(const Share& share, std::size_t n_layers = 1);

/// The edges of the first cells of a mesh.
template <class Mesh>
Flags edges_of(const Mesh& mesh, LocalIndex n_cells) {
  Flags found(mesh.n_edges());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) found[mesh.edges_on_cell[j]] = 1;
  return found;
}

/// The vertices of the first edges.
template <class Mesh>
Flags vertices_of(const Mesh& mesh, LocalIndex n_edges) {
  Flags found(mesh.n_vertices());
  for (LocalIndex e = 0; e < n_edges; ++e)
    for (const auto vertex : mesh.vertices_on_edge[e]) found[vertex] = 1;
  return found;
}

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
