#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::decomposition {

/// Lists of different lengths in one array: list i is values[offsets[i] .. offsets[i + 1] - 1].
template <class Value>
struct ListsOf {
  std::vector<LocalIndex> offsets{0};
  std::vector<Value> values;

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const Value> operator[](LocalIndex i) const {
    return std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  /// Ends the current list, whose values were appended to `values`.
  void close() { offsets.push_back(static_cast<LocalIndex>(values.size())); }
};

using Lists = ListsOf<LocalIndex>;
using GlobalLists = ListsOf<GlobalIndex>;

/// A kind of entities that cells share: edges or vertices.
struct SharedEntities {
  Lists on_cell;   ///< entities on each cell, in the order of the mesh
  Lists cells_on;  ///< cells on each entity
};

/// Connectivity of any mesh, as needed for its decomposition: neighbours of cells, and the edges and vertices
/// that cells share. Kinds of entities are numbered: 0 cells, 1 edges, 2 vertices; kind k is shared[k - 1].
struct Topology {
  Lists cells_on_cell;  ///< neighbours, without kNone
  std::vector<SharedEntities> shared;

  LocalIndex n_cells() const { return cells_on_cell.size(); }
};

/// Returns `on_cell` with its inverse lists, the cells on each of the `n_shared` entities.
SharedEntities shared_entities(Lists on_cell, LocalIndex n_shared);

/// The topology of a Voronoi mesh, including edges and vertices.
Topology topology_of(const mesh::Mesh& mesh);

/// Map from global id to local index.
class GlobalToLocal {
 public:
  /// @param to_global (local index) global id
  explicit GlobalToLocal(std::span<const GlobalIndex> to_global) {
    local_indices_.reserve(to_global.size());
    for (const auto id : to_global)
      local_indices_.emplace(id, static_cast<LocalIndex>(local_indices_.size()));
  }

  /// The local index; kNone if `id` is not on the rank.
  LocalIndex operator()(GlobalIndex id) const {
    const auto found = local_indices_.find(id);
    return found == local_indices_.end() ? kNone : found->second;
  }

 private:
  std::unordered_map<GlobalIndex, LocalIndex> local_indices_;
};

/// Distribution of items (cells, edges or vertices) in contiguous blocks of nearly equal length, one per
/// rank, used before their owners are known.
struct BlockDistribution {
  GlobalIndex n_items = 0;
  Rank n_ranks = 1;

  /// The first item of a rank; n_items for rank `n_ranks`.
  GlobalIndex first(Rank rank) const { return n_items * rank / n_ranks; }
  /// The rank whose block contains an item.
  Rank holder(GlobalIndex item) const { return static_cast<Rank>(((item + 1) * n_ranks - 1) / n_items); }
};

/// The topology of the cells in the block of one rank (BlockDistribution), in global ids.
struct Slice {
  std::vector<GlobalIndex> n_items;  ///< numbers in the whole mesh, by kind: cells, edges, vertices
  GlobalLists cells_on_cell;         ///< (cell of the block) neighbours
  std::vector<GlobalLists> on_cell;  ///< [kind - 1] (cell of the block) edges or vertices

  BlockDistribution blocks(const comm::Communicator& comm, std::size_t kind = 0) const {
    return {n_items[kind], comm.size()};
  }
};

/// Collective. Checks that a slice has the cells of its block, that the ids in its lists exist, and that the
/// owners are ranks. @throws InputError on all ranks
void check(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners);

/// Collective. Partitions the graph of the cells into one part per rank, by METIS on rank 0, which gathers
/// the graph.
/// @returns the rank that owns each cell of the block: the result of `graph::partition` for the whole graph
/// @throws ConfigError on all ranks for invalid options
std::vector<Rank> partition(const comm::Communicator& comm, const Slice& slice,
                            const graph::PartitionOptions& options = {});

/// The cells of a rank and the cells around them, numbered within the patch in the order of their global ids.
struct Patch {
  Topology topology;
  std::vector<Rank> owners;                         ///< (cell)
  std::vector<std::vector<GlobalIndex>> to_global;  ///< [kind] (entity of the patch) global id
};

/// Collective. Gathers the patch of this rank from the slices of all ranks: the cells that this rank owns,
/// and the cells that `n_steps` steps from them reach. A step leads from a cell to its neighbours and to all
/// cells on its edges and vertices. Each rank stores only its slice and its patch, and requests data from the
/// rank whose block contains them (comm::sparse_exchange).
/// @param owners the rank that owns each cell of the block of this rank
Patch gather_patch(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                   int n_steps);

}  // namespace halcyon::decomposition
