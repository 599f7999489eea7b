#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/comm/methods/method.hpp"

namespace halcyon::comm {

/// The buffers that a schedule's blocks refer to.
using BufferSpans = std::span<const std::span<std::byte>>;

/// The messages of one round, ready to travel by one method.
class Round {
 public:
  virtual ~Round() = default;
  virtual void start(BufferSpans buffers) = 0;
  virtual void wait() = 0;
  /// Gives MPI a turn to move what is under way. Whether all has left and arrived, so that a wait returns at
  /// once.
  virtual bool test() = 0;
};

using Rounds = std::vector<std::unique_ptr<Round>>;

/// Collective. Makes a rank's rounds ready for a method, in the order in which they start. Copies that the
/// method does itself leave the program.
/// @param buffers of the schedule
/// @throws ConfigError, on all ranks, where the method cannot carry them
Rounds make_rounds(const Communicator& comm, Method method, Program& program,
                   const std::vector<schedule::Buffer>& buffers);

}  // namespace halcyon::comm
