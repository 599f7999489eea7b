#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// The buffers that a schedule's blocks refer to.
using BufferSpans = std::span<const std::span<std::byte>>;

/// A message of a round: its block and the rank on the other side.
struct Message {
  Rank peer;
  schedule::Block block;
};

struct RoundMessages {
  std::vector<Message> sends, receives;
};

/// The messages of one round, ready to travel by one method.
class Round {
 public:
  virtual ~Round() = default;
  virtual void start(BufferSpans buffers) = 0;
  virtual void wait() = 0;
};

/// Collective. Makes a rank's rounds ready for a method, in the order in which they start.
std::vector<std::unique_ptr<Round>> make_rounds(const Communicator& comm, Method method,
                                                const std::vector<RoundMessages>& rounds);

}  // namespace halcyon::comm
