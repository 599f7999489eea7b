#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// A message of a round: its block in a buffer and its destination or source rank.
struct Message {
  Rank peer;
  schedule::Block block;
};

struct RoundMessages {
  std::int32_t number = 0;  ///< in the schedule
  std::vector<Message> sends, receives;
};

/// The phases of an exchange that are timed separately.
enum class Phase : std::uint8_t { pack, transfer, wait, unpack, work };

struct ProgramStep {
  schedule::Operation operation;
  Phase phase;
};

/// The operations of one rank of a schedule in the form in which they are executed: rounds are numbered in
/// the order in which they start, and messages are stored by round.
struct Program {
  std::vector<ProgramStep> steps;  ///< all operations except sends and receives
  std::vector<RoundMessages> rounds;

  explicit Program(const std::vector<schedule::Operation>& operations);

  /// The rounds in the order of their waits.
  std::vector<std::int64_t> wait_order() const;
};

/// Collective. Checks that every message that a rank sends is received by its destination, with the same size
/// and in the same order. With HALCYON_DEBUG=1, every Exchange calls it.
/// @throws InternalError, on all ranks, for the first mismatch, with both ranks, the round and both sizes,
/// and for errors of schedule::check
void check_message_matching(const Communicator& comm, const schedule::Schedule& schedule);

/// Collective. Whether each message that this rank receives is sent in the round of the same number, where
/// each rank counts rounds in the order of its starts.
bool rounds_match(const Communicator& comm, const std::vector<RoundMessages>& rounds);

/// A range of one of the buffers of a schedule.
struct BufferRange {
  std::int32_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// The ranges that a message is gathered from or scattered to, in the order of its bytes.
using BufferRanges = std::vector<BufferRange>;

/// The ranges of all messages of a round, in the order of RoundMessages.
struct RoundRanges {
  std::vector<BufferRanges> sends, receives;
};

/// Returns the ranges of all messages, by round. If the messages can be copied directly between fields,
/// without the scratch buffers into which the program packs them, the packing and unpacking copies of
/// messages with peers on this node are removed from the program, and the ranges are those in the fields.
/// This is possible for a program of one round that only packs, starts, waits and unpacks, reads no data that
/// it writes, and writes no data twice. For other programs the only range of a message is its block.
/// @param is_on_node whether a rank is on the node of this rank
std::vector<RoundRanges> fold_copies(Program& program, const std::vector<schedule::Buffer>& buffers,
                                     const std::function<bool(Rank)>& is_on_node);

}  // namespace halcyon::comm
