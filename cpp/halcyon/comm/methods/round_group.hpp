#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/program.hpp"

namespace halcyon::comm {

/// A communicator of the ranks that the messages of a round join, such as a row or column of a grid of ranks;
/// who has no messages is alone.
class RoundGroup {
 public:
  /// Collective. @param lowest rank of the group
  RoundGroup(const Communicator& comm, Rank lowest);
  RoundGroup(const RoundGroup&) = delete;
  RoundGroup& operator=(const RoundGroup&) = delete;
  ~RoundGroup();

  MPI_Comm get() const { return comm_; }
  /// The ranks, ascending, by their numbers in the communicator that was split.
  const std::vector<Rank>& ranks() const { return ranks_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Rank> ranks_;
};

/// Collective. The group of each round; rounds of the same groups share them. Both ends of a message must be
/// in one round.
std::vector<std::shared_ptr<const RoundGroup>> round_groups(const Communicator& comm,
                                                            const std::vector<RoundMessages>& rounds);

}  // namespace halcyon::comm
