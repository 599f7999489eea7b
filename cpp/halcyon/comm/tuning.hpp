#pragma once

#include <string>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/method.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Where the buffers of an exchange will lie.
enum class Placement { anywhere, node_memory };

struct Choice {
  Method method;
  std::string reason;  ///< the times of all methods that can carry the schedule
};

/// Collective. Measures every method that can carry the schedule, on scratch buffers: a few exchanges each,
/// taken in turns. The slowest rank counts, and of its exchanges the fastest, so that what else the machine
/// does weighs little. All ranks choose the same.
/// @param placement of buffers that are not scratch
Choice fastest_method(const Communicator& comm, const schedule::Schedule& schedule, Placement placement);

}  // namespace halcyon::comm
