#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// Lists of numbers by the rank that they go to, or come from.
using ListsByRank = std::map<Rank, std::vector<std::int64_t>>;

/// Collective. Hands lists to ranks that do not know of it, with memory and messages for the partners alone:
/// the nonblocking consensus of Hoefler, Siebert and Lumsdaine (2010, PPoPP'10, 159-168).
/// @returns what came, by sender
ListsByRank sparse_exchange(const Communicator& comm, const ListsByRank& lists);

}  // namespace halcyon::comm
