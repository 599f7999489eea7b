#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Buffers of one rank, in the order of `Schedule::buffers()`.
using Buffers = std::vector<std::span<std::byte>>;

/// Returns range number `range` of a block, which must be inside its buffer.
inline std::span<std::byte> bytes_of(const Block& block, std::span<const std::span<std::byte>> buffers,
                                     std::int64_t range = 0) {
  return buffers[block.buffer].subspan(block.offset_bytes + range * block.stride_bytes, block.size_bytes);
}

void copy_block(const Block& from, const Block& to, std::span<const std::span<std::byte>> buffers);

/// Runs a schedule for all of its ranks in this process, moving real data between them without MPI. Messages
/// are synchronous: a `wait` ends only when every message of the round has matched, so a schedule that
/// completes here relies on no buffering.
/// @param buffers (rank) buffers of each rank
/// @param callbacks_of called once per rank; may be empty
/// @throws InternalError naming ranks and messages: errors found by `check`, buffers that are too small,
/// unmatched messages, different sizes of a send and its receive, a deadlock
void run_in_process(const Schedule& schedule, const std::vector<Buffers>& buffers,
                    const std::function<Callbacks(Rank)>& callbacks_of = {});

}  // namespace halcyon::schedule
