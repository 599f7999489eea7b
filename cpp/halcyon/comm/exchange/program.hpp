#pragma once

#include <cstdint>
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

}  // namespace halcyon::comm
