#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::decomposition {

/// Lists of different lengths: those of i are values[offsets[i] .. offsets[i + 1]].
template <class Value>
struct ListsOf {
  std::vector<LocalIndex> offsets{0};
  std::vector<Value> values;

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const Value> operator[](LocalIndex i) const {
    return std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  /// Ends the list that was being added to.
  void close() { offsets.push_back(static_cast<LocalIndex>(values.size())); }
};

using Lists = ListsOf<LocalIndex>;
using GlobalLists = ListsOf<GlobalIndex>;

/// Another kind of entity that cells share: edges or vertices.
struct Shared {
  Lists on_cell;   ///< of a cell, in the mesh's order
  Lists cells_on;  ///< the cells that touch one
};

/// What decomposition needs to know of a mesh: who is whose neighbour, and which edges and vertices cells
/// share. Any mesh will do. The kinds of entity are cells (0), then those of `shared` (of a Voronoi mesh:
/// edges 1, vertices 2).
struct Topology {
  Lists cells_on_cell;  ///< neighbours, without kNone
  std::vector<Shared> shared;

  LocalIndex n_cells() const { return cells_on_cell.size(); }
};

/// The lists `cells_on` that belong to `on_cell`.
Shared share(Lists on_cell, LocalIndex n_shared);

/// The topology of a Voronoi mesh, with its edges and vertices.
Topology topology_of(const mesh::Mesh& mesh);

/// Local numbers by global id.
class LocalNumbers {
 public:
  /// @param to_global the global id of each local number
  explicit LocalNumbers(std::span<const GlobalIndex> to_global) {
    numbers_.reserve(to_global.size());
    for (const auto id : to_global) numbers_.emplace(id, static_cast<LocalIndex>(numbers_.size()));
  }

  /// kNone for what is not there.
  LocalIndex operator()(GlobalIndex id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? kNone : found->second;
  }

 private:
  std::unordered_map<GlobalIndex, LocalIndex> numbers_;
};

/// Items in contiguous blocks of nearly equal length, one a rank: who keeps what before there are owners.
struct Blocks {
  GlobalIndex n_items = 0;
  Rank n_ranks = 1;

  /// The first item of a rank; that of rank `n_ranks` is the end.
  GlobalIndex first(Rank rank) const { return n_items * rank / n_ranks; }
  Rank holder(GlobalIndex item) const { return static_cast<Rank>(((item + 1) * n_ranks - 1) / n_items); }
};

/// What one rank knows of a topology before it is decomposed: the cells of its block, in global ids.
struct Slice {
  std::vector<GlobalIndex> n_items;  ///< of the whole mesh: cells, then each shared kind (edges, vertices)
  GlobalLists cells_on_cell;         ///< (cell of the block) its neighbours
  std::vector<GlobalLists> on_cell;  ///< by shared kind (cell of the block)

  Blocks blocks(const comm::Communicator& comm, std::size_t kind = 0) const {
    return {n_items[kind], comm.size()};
  }
};

/// Collective. Checks that a slice has the cells of its block, that its lists name what is there, and that
/// the owners are ranks. @throws InputError on all ranks
void check(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners);

/// Collective. Cuts the graph of the cells into a part for each rank, by METIS on rank 0, which alone sees
/// the graph.
/// @returns the rank of each cell of the block; the same as `graph::partition` of the whole
/// @throws ConfigError as `graph::partition`, on all ranks
std::vector<Rank> partition(const comm::Communicator& comm, const Slice& slice,
                            const graph::PartitionOptions& options = {});

/// The cells of a rank and those around them, numbered in the order of their global ids.
struct Patch {
  Topology topology;
  std::vector<Rank> owners;                         ///< (cell)
  std::vector<std::vector<GlobalIndex>> to_global;  ///< by kind: cells, then those of `topology.shared`
};

/// Collective. Gathers the patch of this rank from the slices of all: its own cells, and so many steps to
/// neighbours and to cells on the same edges and vertices. No rank sees more than its slice and its patch;
/// who has what is asked of the block's holder, and partners are found by sparse consensus.
/// @param owners the rank of each cell of this rank's block
Patch gather_patch(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                   int n_steps);

}  // namespace halcyon::decomposition
