#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "halcyon/base/exact_sum.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// Lists of integers, one per destination or source rank.
using ListsByRank = std::map<Rank, std::vector<std::int64_t>>;

/// Collective. Sends one list to each of a few ranks, which do not know their senders in advance (dynamic
/// sparse data exchange). Memory and messages are proportional to the number of partners, not of ranks:
/// nonblocking consensus of Hoefler, Siebert and Lumsdaine (2010, PPoPP'10, 159-168).
/// @param lists one per destination rank
/// @returns the received lists, one per source rank
ListsByRank sparse_exchange(const Communicator& comm, const ListsByRank& lists);

/// A neighbour rank and the amount of data exchanged with it, in a unit common to all ranks, such as bytes.
struct WeightedNeighbour {
  Rank rank = kNone;
  int weight = 1;
};

/// Collective. Returns a communicator of the same processes whose ranks MPI may have reordered, so that ranks
/// that exchange much data are close to each other in the machine (MPI_Dist_graph_create_adjacent with
/// reorder = 1). Call it before data are distributed: rank r of `comm` passes the neighbours of part r of the
/// decomposition, and rank r of the new communicator must then own part r.
/// @param neighbours of part `comm.rank()`; if rank a names rank b, rank b must name rank a
/// @throws ConfigError, on all ranks, if a neighbour is not a rank, is given twice, or has a negative weight
Communicator reorder_ranks(const Communicator& comm, std::span<const WeightedNeighbour> neighbours);

/// Collective. Adds each ExactSum over all ranks. @returns the rounded sums, with equal bits on all ranks
inline std::vector<double> global_sums(const Communicator& comm, std::span<ExactSum> sums) {
  std::vector<double> values;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    comm.sum(limbs);
    values.push_back(ExactSum(limbs).value());
  }
  return values;
}

}  // namespace halcyon::comm
