#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// What MPI was started with, as MPI names it: "MPI_THREAD_FUNNELED".
std::string_view thread_level();

/// @throws ConfigError, with the remedy, unless several threads may call MPI at a time
/// @param what needs it
void require_thread_multiple(const std::string& what);

/// The environment's setting by which this MPI moves messages with threads of its own, such as
/// "MPICH_ASYNC_PROGRESS=1"; empty where there is none. Settings of other MPIs do not count. Open MPI has
/// none.
std::string mpi_own_progress();

/// Where a rank's progress thread runs.
struct Core {
  enum class Choice {
    automatic,  ///< a core of the node to which no rank is bound, where there is one; else where the system
                ///< puts it, among the rank's own
    shared,     ///< the core that the rank is on
    given,      ///< by number
  };
  Choice choice = Choice::automatic;
  std::vector<int>
      numbers{};  ///< given: of the ranks of a node, one after the other, and again from the first
};

/// "auto", "shared", or numbers such as "3" or "2,3".
/// @throws ConfigError for anything else
Core core_named(const std::string& name);

/// Collective. The number of the core for this rank's thread; none where it is left to the system.
/// @throws ConfigError, on all ranks, for a number beyond the node's cores
std::optional<int> core_for(const Communicator& comm, const Core& core);

}  // namespace halcyon::comm
