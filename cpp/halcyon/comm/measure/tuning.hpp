#pragma once

#include <span>
#include <string>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/methods/method.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Where the buffers of an exchange will lie.
enum class Placement { anywhere, node_memory };

struct Timed {
  Method method;
  double time_s;  ///< of an exchange
};

/// The fastest of methods, at least one; but where methods that overlap take at most a tenth longer, the
/// fastest of these: measurements differ by as much, and callers compute meanwhile.
Method preferred(std::span<const Timed> methods);

struct Choice {
  Method method;
  std::string reason;  ///< the times of all methods that can carry the schedule
};

/// Collective. The preferred of all methods that can carry the schedule, measured on scratch buffers: a few
/// exchanges each, taken in turns, from a common start to the end of the wait, which follows at once. The
/// slowest rank counts, and of its exchanges the fastest, so that what else the machine does weighs little.
/// All ranks choose the same.
/// @param placement of buffers that are not scratch
Choice chosen_method(const Communicator& comm, const schedule::Schedule& schedule, Placement placement);

}  // namespace halcyon::comm
