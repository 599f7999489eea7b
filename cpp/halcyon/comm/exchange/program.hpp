#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace halcyon::comm
