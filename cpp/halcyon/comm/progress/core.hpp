#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

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
