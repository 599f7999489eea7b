#include "halcyon/halo/halo.hpp"

#include <algorithm>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/threads.hpp"

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

/// Polls, unless the MPI has threads of its own, which they would hinder.
std::shared_ptr<const comm::Progress> polls(const comm::Communicator& comm) {
  const bool moves = !comm::mpi_own_progress().empty();
  return std::make_shared<comm::Progress>(comm, moves ? comm::ProgressBy::none : comm::ProgressBy::poll);
}

}  // namespace

Halo::Halo(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
           std::vector<schedule::HaloField> fields, comm::Method method, comm::Placement placement,
           schedule::Unpack unpack)
    : Halo(comm, own_schedule(comm, decomposition, fields, unpack), method, placement) {
  for (const auto& field : fields)
    field_bytes_.push_back(field.stride() * decomposition.shares[field.entity].size());
}

Halo::Halo(const comm::Communicator& comm, const schedule::Halo& schedule, comm::Method method,
           comm::Placement placement)
    : comm_(comm), exchange_(comm, schedule, method, {}, placement, polls(comm)) {
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

FieldMemory Halo::allocate(std::size_t field) const {
  require<InternalError>(field < field_bytes_.size(), "There is no field {} in a halo exchange of {}.", field,
                         field_bytes_.size());
  return {comm_, field_bytes_[field], method()->in_node_memory};
}

}  // namespace halcyon::halo
