#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "halcyon/base/index_ranges.hpp"
#include "halcyon/base/rows.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/decomposition/local_mesh.hpp"

namespace halcyon::decomposition {

/// Non-owning view of a connectivity list of a mesh, such as the edges on each cell; missing entities are
/// kNone. A default-constructed view is the identity: each item is connected to itself.
class AdjacencyView {
 public:
  AdjacencyView() = default;
  /// Item i is connected to items[offsets[i] .. offsets[i + 1] - 1].
  AdjacencyView(std::span<const LocalIndex> offsets, std::span<const LocalIndex> items)
      : offsets_(offsets), items_(items) {}
  template <std::size_t K>
  AdjacencyView(const std::vector<std::array<LocalIndex, K>>& items)
      : items_(items.empty() ? nullptr : items.front().data(), K * items.size()), n_per_item_(K) {}

  /// The items to which `item` is connected. For the identity, the result is a view of `item` itself.
  std::span<const LocalIndex> operator[](const LocalIndex& item) const {
    if (n_per_item_ > 0) return items_.subspan(item * n_per_item_, n_per_item_);
    if (offsets_.empty()) return {&item, 1};
    return items_.subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

 private:
  std::span<const LocalIndex> offsets_, items_;
  std::size_t n_per_item_ = 0;
};

/// The items that a sweep (a loop over cells, edges or vertices) computes: inner items, whose results do not
/// depend on halo values, neither directly nor through other sweeps, and boundary items, which need them.
struct Sweep {
  IndexRanges inner, boundary;

  const IndexRanges& part(bool is_inner) const { return is_inner ? inner : boundary; }
};

/// A field that a sweep reads at adjacent items: a result of another sweep, or a field of the state.
struct Dependency {
  AdjacencyView adjacency;
  const Flags& inner;  ///< flags of the items where the field does not depend on halo values

  /// Whether the values that the sweep reads at `item` do not depend on halo values.
  bool is_inner(LocalIndex item) const;
};

/// Splits the items that a sweep must compute (`requested`) into inner and boundary items: an item is inner
/// if every dependency `is_inner` there. @returns flags of the inner items
Flags split(Sweep& sweep, const Flags& requested, std::initializer_list<Dependency> dependencies);

/// Flags of the owned entities.
Flags owned(const IndexMap& map);
/// Flags of the owned entities and of the entities in the first `n_layers` halo layers.
Flags owned_and_halo(const IndexMap& map, std::size_t n_layers = 1);

/// Flags of the edges on the first `n_cells` cells.
template <class Mesh>
Flags edges_of_cells(const Mesh& mesh, LocalIndex n_cells) {
  Flags flags(mesh.n_edges());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) flags[mesh.edges_on_cell[j]] = 1;
  return flags;
}

/// Flags of the vertices of the first `n_cells` cells.
template <class Mesh>
Flags vertices_of_cells(const Mesh& mesh, LocalIndex n_cells) {
  Flags flags(mesh.n_vertices());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) flags[mesh.vertices_on_cell[j]] = 1;
  return flags;
}

/// Partition of the owned cells of a rank into tiles of adjacent cells by METIS, for cache blocking: all
/// sweeps of a tile are computed before the next tile, so that intermediate fields stay in the cache. A tile
/// is a part of the rank's mesh, with halo layers; its `to_global` holds local indices of the rank.
class Tiling {
 public:
  /// @param rank_mesh the mesh of the rank, with at least n_layers halo layers; must outlive this object
  /// @param cells_per_tile approximate   @param n_layers halo layers of a tile
  Tiling(const LocalMesh& rank_mesh, LocalIndex cells_per_tile, int n_layers);

  int n_tiles() const { return cells_of_tile_.size(); }
  LocalMesh tile(int number) const;

 private:
  const LocalMesh& rank_mesh_;
  int n_layers_;
  Topology topology_;
  std::vector<Rank> tile_of_cell_;  ///< (local cell of the rank) n_tiles for halo cells
  Lists cells_of_tile_;
};

/// Returns the local index, in the rank's mesh, of each entity of a tile.
std::vector<LocalIndex> parent_indices(const IndexMap& tile_map);

/// Copies columns of a field of the rank to the field of a tile.
/// @param items of the tile   @param parents (item of the tile) index in the rank's mesh
template <class Real>
void gather_columns(std::span<const IndexRange> items, std::span<const LocalIndex> parents, int n_levels,
                    In<Real> rank_field, std::span<Real> tile_field) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(rank_field, parents[i], n_levels), column(tile_field, i, n_levels).begin());
  });
}

/// Copies columns of a field of a tile to the field of the rank; parameters as in `gather_columns`.
template <class Real>
void scatter_columns(std::span<const IndexRange> items, std::span<const LocalIndex> parents, int n_levels,
                     In<Real> tile_field, std::span<Real> rank_field) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(tile_field, i, n_levels), column(rank_field, parents[i], n_levels).begin());
  });
}

}  // namespace halcyon::decomposition
