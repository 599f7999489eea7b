#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// A message of a round: its block and the rank on the other side.
struct Message {
  Rank peer;
  schedule::Block block;
};

struct RoundMessages {
  std::int32_t number = 0;  ///< as the schedule calls it
  std::vector<Message> sends, receives;
};

/// The parts of an exchange that its statistics tell apart.
enum class Part : std::uint8_t { pack, transfer, wait, unpack, work };

struct Step {
  schedule::Operation operation;
  Part part;
};

/// A rank's part of a schedule, made ready to be executed: rounds are numbered in the order in which they
/// start, and their messages stand apart from the steps.
struct Program {
  std::vector<Step> steps;  ///< all but sends and receives
  std::vector<RoundMessages> rounds;

  explicit Program(const std::vector<schedule::Operation>& operations);

  /// The rounds in the order in which they are waited for.
  std::vector<std::int64_t> wait_order() const;
};

/// Collective. Holds what ranks send to what their partners await. Set HALCYON_DEBUG=1 and every Exchange
/// asks for it.
/// @throws InternalError, on all ranks, where a message is not awaited by its partner with the same size in
///         the same order: it names both ranks, the round and both sizes; and what schedule::check finds
void check_pairs(const Communicator& comm, const schedule::Schedule& schedule);

/// Collective. Whether each message that this rank receives leaves in the round, counted from the first that
/// its sender starts, in which it is awaited here.
bool both_ends_in_one_round(const Communicator& comm, const std::vector<RoundMessages>& rounds);

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
