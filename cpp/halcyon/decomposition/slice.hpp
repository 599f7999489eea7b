#pragma once

#include <span>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/graph/partition.hpp"

namespace halcyon::decomposition {

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

}  // namespace halcyon::decomposition
