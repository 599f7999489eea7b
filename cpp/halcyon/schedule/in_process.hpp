#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// One rank's buffers, in the order of `Schedule::buffers()`.
using Buffers = std::vector<std::span<std::byte>>;

/// The bytes of a block's range number `range`; the block lies within its buffer.
inline std::span<std::byte> bytes_of(const Block& block, std::span<const std::span<std::byte>> buffers,
                                     std::int64_t range = 0) {
  return buffers[block.buffer].subspan(block.offset_bytes + range * block.stride_bytes, block.size_bytes);
}

/// Executes a `copy`.
void copy_block(const Block& from, const Block& to, std::span<const std::span<std::byte>> buffers);

/// Runs a schedule for all of its ranks in this process, moving real data between them without MPI. Messages
/// are synchronous: a rank's `wait` needs every message of the round to have met its partner, so a schedule
/// that runs here relies on no buffering.
/// @param buffers of every rank
/// @param actors_of of a rank, asked for once a rank; none where it is empty
/// @throws InternalError that names the ranks and messages: what `check` finds, buffers that are too small,
/// messages
///         whose sizes differ or that have no partner, a deadlock
void run_in_process(const Schedule& schedule, const std::vector<Buffers>& buffers,
                    const std::function<Actors(Rank)>& actors_of = {});

}  // namespace halcyon::schedule
