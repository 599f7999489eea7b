#pragma once

#include <span>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// A partner, and how much is exchanged with it: bytes, items or any other measure, the same on all ranks.
struct WeightedNeighbour {
  Rank rank = kNone;
  int weight = 1;
};

/// Collective. A communicator of the same ranks in which the MPI may have given them other numbers, so that
/// ranks that exchange much lie near each other (MPI_Dist_graph_create_adjacent with reorder). Ask for it
/// before data are distributed: afterwards rank r of the new communicator takes part r, with the neighbours
/// that rank r of `comm` names here.
/// @param neighbours of part `comm.rank()`; neighbourhood is mutual
/// @throws ConfigError, on all ranks, where a neighbour is not a rank, is named twice, or has a negative
///         weight
Communicator reordered(const Communicator& comm, std::span<const WeightedNeighbour> neighbours);

}  // namespace halcyon::comm
