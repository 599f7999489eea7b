#pragma once

#include "halcyon/comm/methods/round.hpp"

namespace halcyon::comm {

/// Collective. Rounds as MPI_Alltoallv or MPI_Ialltoallv among the ranks that each joins.
/// @throws ConfigError, on all ranks, as require_collectives does
Rounds alltoallv_rounds(const Communicator& comm, Method method, const Program& program);

}  // namespace halcyon::comm
