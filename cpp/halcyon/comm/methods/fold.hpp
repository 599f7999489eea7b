#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// A range of one of the schedule's buffers.
struct Piece {
  std::int32_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// A message's bytes in their order: where they come from, or go to.
using Pieces = std::vector<Piece>;

/// Of the messages of a round, in the program's order.
struct FoldedRound {
  std::vector<Pieces> sends, receives;
};

/// The pieces of all messages. Where the copies that pack and unpack messages through scratch buffers can be
/// had while the messages travel, those of messages with partners of `near` leave the program: they are in
/// the pieces. So it is for a program of one round that only packs, starts, waits and unpacks, reads nothing
/// that it writes, and writes nothing twice. In others a message's only piece is its block.
std::vector<FoldedRound> fold_copies(Program& program, const std::vector<schedule::Buffer>& buffers,
                                     const std::function<bool(Rank)>& near);

}  // namespace halcyon::comm
