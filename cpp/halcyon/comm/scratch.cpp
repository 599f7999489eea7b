#include "halcyon/comm/scratch.hpp"

namespace halcyon::comm {

Scratch::Scratch(const Communicator& comm, const schedule::Schedule& schedule, Placement placement) {
  for (std::int32_t b = 0; b < std::ssize(schedule.buffers()); ++b) {
    const auto bytes = schedule.buffer_bytes(comm.rank(), b);
    if (placement == Placement::node_memory && !schedule.buffers()[b].scratch) {
      spans_.push_back(near_.emplace_back(comm, bytes).bytes());
    } else {
      far_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
      spans_.emplace_back(far_.back().get(), bytes);
    }
  }
}

}  // namespace halcyon::comm
