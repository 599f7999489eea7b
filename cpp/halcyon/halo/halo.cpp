#include "halcyon/halo/halo.hpp"

#include <algorithm>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/threads.hpp"

namespace halcyon::halo {
namespace {

schedule::Halo local_schedule(const comm::Communicator& comm,
                              const decomposition::Decomposition& decomposition,
                              std::vector<schedule::HaloField> fields, schedule::Unpack unpack) {
  return {comm.size(), std::move(fields),
          [&decomposition, this_rank = comm.rank()](Rank rank) -> const schedule::Halo::Neighbours& {
            require<InternalError>(rank == this_rank,
                                   "Rank {} has only its own halo lists, not the lists of rank {}.",
                                   this_rank, rank);
            return decomposition.neighbours;
          },
          unpack};
}

/// Progress by polling; no progress calls if MPI has its own progress threads, which polls would slow down.
std::shared_ptr<const comm::Progress> default_progress(const comm::Communicator& comm) {
  const bool has_mpi_threads = !comm::mpi_progress_variable().empty();
  return std::make_shared<comm::Progress>(
      comm, has_mpi_threads ? comm::ProgressMode::none : comm::ProgressMode::poll);
}

}  // namespace

Halo::Halo(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
           std::vector<schedule::HaloField> fields, comm::Method method, comm::BufferPlacement placement,
           schedule::Unpack unpack)
    : Halo(comm, local_schedule(comm, decomposition, fields, unpack), method, placement) {
  for (const auto& field : fields)
    field_bytes_.push_back(field.stride() * decomposition.index_maps[field.entity].size());
}

Halo::Halo(const comm::Communicator& comm, const schedule::Halo& schedule, comm::Method method,
           comm::BufferPlacement placement)
    : comm_(comm),
      exchange_(comm, schedule, method, {}, placement, default_progress(comm)),
      description_(exchange_.description()) {
  const auto rank = comm.rank();
  send_.resize(schedule.buffer_bytes(rank, schedule.send_buffer()));
  receive_.resize(schedule.buffer_bytes(rank, schedule.receive_buffer()));
  buffers_.resize(schedule.buffers().size());
  buffers_[schedule.send_buffer()] = send_;
  buffers_[schedule.receive_buffer()] = receive_;
  for (const auto& operation : schedule::operations(schedule, rank))
    if (operation.action == schedule::Action::receive) received_bytes_ += operation.block.size_bytes;
}

comm::PendingExchange Halo::start(std::span<const std::span<std::byte>> fields) {
  require<InternalError>(fields.size() + 2 == buffers_.size(),
                         "{} fields were given, but the halo exchange has {}.", fields.size(),
                         buffers_.size() - 2);
  std::ranges::copy(fields, buffers_.begin());
  return exchange_.start(buffers_);
}

FieldMemory Halo::allocate(std::size_t field) {
  require<InternalError>(field < field_bytes_.size(), "There is no field {} in a halo exchange of {} fields.",
                         field, field_bytes_.size());
  try {
    return {comm_, field_bytes_[field], method()->copies_from_node_memory && !lacks_node_memory_};
  } catch (const ConfigError& error) {  // thrown on all ranks
    lacks_node_memory_ = true;
    description_ += fmt::format("; fields are in private memory and packed: {}", error.what());
    return {comm_, field_bytes_[field], false};
  }
}

}  // namespace halcyon::halo
