#pragma once

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Holds a rank's operations to the contract, before any executor trusts them.
/// @throws InternalError that names the rank and the slip: a block outside its buffer, a message of several
/// ranges,
///         copies and combinations of different sizes, a peer that is not there, a message added to a round
///         that has started, a round started twice or waited for without a start, a round never started or
///         never waited for
void check(const Schedule& schedule, Rank rank);

}  // namespace halcyon::schedule
