#pragma once

#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Collective. Holds what ranks send to what their partners await. Set HALCYON_DEBUG=1 and every Exchange
/// asks for it.
/// @throws InternalError, on all ranks, where a message is not awaited by its partner with the same size in
///         the same order: it names both ranks, the round and both sizes; and what schedule::check finds
void check_pairs(const Communicator& comm, const schedule::Schedule& schedule);

/// Collective. Whether each message that this rank receives leaves in the round, counted from the first that
/// its sender starts, in which it is awaited here.
bool both_ends_in_one_round(const Communicator& comm, const std::vector<RoundMessages>& rounds);

}  // namespace halcyon::comm
