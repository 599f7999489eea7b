#pragma once

#include "halcyon/comm/methods/round.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Collective. Rounds whose messages go through the node's memory, and by isend_irecv between nodes. The
/// copies that pack and unpack the former leave the program where they can.
Rounds shared_rounds(const Communicator& comm, Program& program,
                     const std::vector<schedule::Buffer>& buffers);

}  // namespace halcyon::comm
