#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// A message that this rank sends or receives in a round: the other rank, and the block in a buffer.
struct Message {
  Rank peer;
  schedule::Block block;
};

struct RoundMessages {
  std::int32_t number = 0;  ///< of the round in the schedule
  std::vector<Message> sends, receives;
};

/// The phases of an exchange that are timed separately.
enum class Phase : std::uint8_t { pack, start, wait, unpack, work };

struct ProgramStep {
  schedule::Operation operation;
  Phase phase;
};

/// One rank's operations of a schedule, in the form in which they are executed: rounds are numbered in the
/// order of their starts, and sends and receives are stored as the messages of their round.
struct Program {
  std::vector<ProgramStep> steps;  ///< all operations except sends and receives
  std::vector<RoundMessages> rounds;

  explicit Program(const std::vector<schedule::Operation>& operations);

  /// The indices of the rounds in the order of their waits.
  std::vector<std::int64_t> wait_order() const;
};

/// Collective. Checks that every message that a rank sends is received by its destination, with the same size
/// and in the same order. With HALCYON_DEBUG=1, every Exchange calls it.
/// @throws InternalError, on all ranks, for an error that schedule::check finds, and for the first mismatch,
/// with both ranks, the round and both sizes
void check_message_matching(const Communicator& comm, const schedule::Schedule& schedule);

/// Collective. Whether each message that this rank receives in its n-th started round is sent in the n-th
/// started round of the sender.
bool rounds_match(const Communicator& comm, const std::vector<RoundMessages>& rounds);

/// A range of one of the buffers of a schedule.
struct BufferRange {
  std::int32_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// The ranges from which a message is gathered, or to which it is scattered, in the order of its bytes.
using BufferRanges = std::vector<BufferRange>;

/// The ranges of all messages of a round, in the order of the messages in RoundMessages.
struct RoundRanges {
  std::vector<BufferRanges> sends, receives;
};

/// Lets messages within a node be copied directly between fields, if the program allows it: removes the
/// copies that pack these messages into scratch buffers and unpack them from there. A program allows it if it
/// has one round, only packs, starts, waits and unpacks, reads no byte that it writes, and writes none twice.
/// @param is_on_node whether a rank is on the node of this rank
/// @returns the ranges of all messages, by round; without direct copies, the block of each message
std::vector<RoundRanges> omit_copies_within_node(Program& program,
                                                 const std::vector<schedule::Buffer>& buffers,
                                                 const std::function<bool(Rank)>& is_on_node);

}  // namespace halcyon::comm
