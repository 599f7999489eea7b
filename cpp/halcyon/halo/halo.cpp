#include "halcyon/halo/halo.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::halo {

namespace {

schedule::Halo own_schedule(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
                            std::vector<schedule::HaloField> fields, schedule::Unpack unpack) {
  return {comm.size(), std::move(fields),
          [&decomposition, mine = comm.rank()](Rank rank) -> const schedule::Halo::Neighbours& {
            require<InternalError>(rank == mine, "Rank {} knows its own halo, not that of rank {}.", mine,
                                   rank);
            return decomposition.neighbours;
          },
          unpack};
}

}  // namespace

Halo::Halo(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
           std::vector<schedule::HaloField> fields, comm::Method method, comm::Placement placement,
           schedule::Unpack unpack)
    : Halo(comm, own_schedule(comm, decomposition, std::move(fields), unpack), method, placement) {}

Halo::Halo(const comm::Communicator& comm, const schedule::Halo& schedule, comm::Method method,
           comm::Placement placement)
    : exchange_(comm, schedule, method, {}, placement) {
  const auto rank = comm.rank();
  send_.resize(schedule.buffer_bytes(rank, schedule.send_buffer()));
  receive_.resize(schedule.buffer_bytes(rank, schedule.receive_buffer()));
  buffers_.resize(schedule.buffers().size());
  buffers_[schedule.send_buffer()] = send_;
  buffers_[schedule.receive_buffer()] = receive_;
  for (const auto& operation : schedule::operations(schedule, rank)) {
    if (operation.action == schedule::Action::receive) received_bytes_ += operation.block.size_bytes;
  }
}

comm::Pending Halo::start(std::span<const std::span<std::byte>> fields) {
  require<InternalError>(fields.size() + 2 == buffers_.size(), "{} fields in a halo exchange of {}.",
                         fields.size(), buffers_.size() - 2);
  std::ranges::copy(fields, buffers_.begin());
  return exchange_.start(buffers_);
}

}  // namespace halcyon::halo
