#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "halcyon/base/exact_sum.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// Lists of numbers by the rank that they go to, or come from.
using ListsByRank = std::map<Rank, std::vector<std::int64_t>>;

/// Collective. Hands lists to ranks that do not know of it, with memory and messages for the partners alone:
/// the nonblocking consensus of Hoefler, Siebert and Lumsdaine (2010, PPoPP'10, 159-168).
/// @returns what came, by sender
ListsByRank sparse_exchange(const Communicator& comm, const ListsByRank& lists);

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

/// Collective. The sums of all ranks' sums, of the same bits on any of them.
inline std::vector<double> totals(const Communicator& comm, std::span<ExactSum> sums) {
  std::vector<double> found;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    comm.sum(limbs);
    found.push_back(ExactSum(limbs).value());
  }
  return found;
}

}  // namespace halcyon::comm
