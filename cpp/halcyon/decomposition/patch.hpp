#pragma once

#include <span>
#include <vector>

#include "halcyon/decomposition/slice.hpp"

namespace halcyon::decomposition {

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
