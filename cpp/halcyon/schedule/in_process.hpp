#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// target = target (op) block, for the `combine` operations of a schedule.
using CombineOperator = std::function<void(std::span<std::byte> target, std::span<const std::byte> block)>;

/// One rank's buffers, in the order of `Schedule::buffers()`.
using Buffers = std::vector<std::span<std::byte>>;

/// The bytes of a block. @throws InternalError where it leaves its buffer
std::span<std::byte> bytes_of(const Block& block, std::span<const std::span<std::byte>> buffers);

/// Runs a schedule for all of its ranks in this process, moving real data between them without MPI. Messages
/// are synchronous: a rank's `wait` needs every message of the round to have met its partner, so a schedule
/// that runs here relies on no buffering.
/// @param buffers of every rank; `compute` takes no time
/// @throws InternalError that names the ranks and messages: sizes that differ, a message without a partner,
///         a deadlock, a round started twice or never waited for, a block outside its buffer
void run_in_process(const Schedule& schedule, const std::vector<Buffers>& buffers,
                    const CombineOperator& combine = {});

}  // namespace halcyon::schedule
