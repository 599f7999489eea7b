#pragma once

#include "halcyon/comm/methods/round.hpp"

namespace halcyon::comm {

/// Collective. Rounds as collectives on a distributed graph: neighbor, ineighbor or neighbor_persistent.
/// @throws ConfigError, on all ranks, where ranks start different numbers of rounds, a message leaves in one
///         and is awaited in another, or a round has several messages to one partner or several buffers on
///         one side; and where the MPI has no persistent ones
Rounds neighborhood_rounds(const Communicator& comm, Method method, const Program& program);

}  // namespace halcyon::comm
