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

/// Non-owning view of a connectivity list of a mesh, such as the edges on each cell; kNone for missing
/// entities. A default-constructed view is the identity.
class AdjacencyView {
 public:
  AdjacencyView() = default;
  /// Item i is connected to items[offsets[i] .. offsets[i + 1] - 1].
  AdjacencyView(std::span<const LocalIndex> offsets, std::span<const LocalIndex> items)
      : offsets_(offsets), items_(items) {}
  template <std::size_t K>
  AdjacencyView(const std::vector<std::array<LocalIndex, K>>& items)
      : items_(items.empty() ? nullptr : items.front().data(), K * items.size()), n_per_item_(K) {}

  /// The result may refer to `item`, so it is valid only as long as `item`.
  std::span<const LocalIndex> operator[](const LocalIndex& item) const {
    if (n_per_item_ > 0) return items_.subspan(item * n_per_item_, n_per_item_);
    if (offsets_.empty()) return {&item, 1};
    return items_.subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

 private:
  std::span<const LocalIndex> offsets_, items_;
  std::size_t n_per_item_ = 0;
};

/// The items that a sweep computes: inner items, which do not depend on halo values, neither directly nor
/// through the results of other sweeps, and boundary items, which must wait for the halo exchange.
struct Sweep {
  IndexRanges inner, boundary;

  const IndexRanges& part(bool is_inner) const { return is_inner ? inner : boundary; }
};

/// A dependency of a sweep: it reads a field of another sweep, or of the state, at adjacent items.
struct Dependency {
  AdjacencyView adjacency;
  const Flags& inner;  ///< inner items of the field that is read

  bool is_inner(LocalIndex item) const;
};

/// Splits the requested items into the inner and boundary items of a sweep: an item is inner if all items on
/// which it depends are inner. @returns flags of the inner items
Flags split(Sweep& sweep, const Flags& requested, std::initializer_list<Dependency> dependencies);

/// Flags of the owned entities.
Flags owned(const IndexMap& map);
/// Flags of the owned entities and of the entities in the first `n_layers` halo layers.
Flags owned_and_halo(const IndexMap& map, std::size_t n_layers = 1);

/// Flags of the edges of the first `n_cells` cells.
template <class Mesh>
Flags edges_of_cells(const Mesh& mesh, LocalIndex n_cells) {
  Flags found(mesh.n_edges());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) found[mesh.edges_on_cell[j]] = 1;
  return found;
}

/// Flags of the vertices of the first `n_edges` edges.
template <class Mesh>
Flags vertices_of_edges(const Mesh& mesh, LocalIndex n_edges) {
  Flags found(mesh.n_vertices());
  for (LocalIndex e = 0; e < n_edges; ++e)
    for (const auto vertex : mesh.vertices_on_edge[e]) found[vertex] = 1;
  return found;
}

/// Partition of the owned cells of a rank into tiles of adjacent cells by METIS, for cache blocking: all
/// sweeps of a tile are computed before the next tile, so that intermediate fields stay in the cache. A tile
/// is a part of the mesh of the rank with halo layers of its own; its `to_global` holds indices in the mesh
/// of the rank.
class Tiling {
 public:
  /// @param rank local mesh with at least n_layers halo layers; must outlive this object
  /// @param n_cells approximate number of cells per tile
  Tiling(const LocalMesh& rank, LocalIndex n_cells, int n_layers);

  int n_tiles() const { return cells_.size(); }
  LocalMesh tile(int number) const;

 private:
  const LocalMesh& rank_;
  int n_layers_;
  Topology topology_;
  std::vector<Rank> owners_;  ///< tile of each cell of the rank (local cell)
  Lists cells_;               ///< (tile)
};

/// The indices of the entities of a tile in the mesh of its rank.
std::vector<LocalIndex> parent_indices(const IndexMap& of_tile);

/// Copies columns of a field of the rank to a tile.
/// @param parents (item of the tile) index in the mesh of the rank
template <class Real>
void gather_columns(std::span<const IndexRange> items, std::span<const LocalIndex> parents, int n_levels,
                    In<Real> of_rank, std::span<Real> of_tile) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_rank, parents[i], n_levels), column(of_tile, i, n_levels).begin());
  });
}

/// Copies columns of a field of a tile to its rank.
template <class Real>
void scatter_columns(std::span<const IndexRange> items, std::span<const LocalIndex> parents, int n_levels,
                     In<Real> of_tile, std::span<Real> of_rank) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_tile, i, n_levels), column(of_rank, parents[i], n_levels).begin());
  });
}

}  // namespace halcyon::decomposition
