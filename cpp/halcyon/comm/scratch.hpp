#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/node_memory.hpp"
#include "halcyon/comm/tuning.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Buffers of a rank's sizes of a schedule, for runs that are only timed. Nothing is written to them, so that
/// what does not travel costs no memory.
class Scratch {
 public:
  /// Collective where buffers lie in node memory.
  Scratch(const Communicator& comm, const schedule::Schedule& schedule, Placement placement);

  std::span<const std::span<std::byte>> spans() const { return spans_; }

 private:
  std::vector<NodeMemory> near_;
  std::vector<std::unique_ptr<std::byte[]>> far_;
  std::vector<std::span<std::byte>> spans_;
};

}  // namespace halcyon::comm
