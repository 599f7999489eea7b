#pragma once

#include <mpi.h>

#include <vector>

#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/methods/units.hpp"

namespace halcyon::comm {

/// Messages between pairs of ranks: what the methods that send them one by one have in common.
class PointToPoint : public Round {
 public:
  PointToPoint(const Communicator& comm, RoundMessages messages, Tag tag);

 protected:
  /// One direction of the round, with its sizes in MPI's units.
  struct Side {
    explicit Side(std::vector<Message> of);
    std::byte* address(std::size_t i, BufferSpans buffers) const {
      return buffers[messages[i].block.buffer].data() + messages[i].block.offset_bytes;
    }
    std::vector<Message> messages;
    Units units;
    std::vector<int> counts;
    std::vector<MPI_Request> requests;
  };

  void send(BufferSpans buffers);

  Communicator comm_;
  Tag tag_;
  Side receives_, sends_;
};

/// MPI_Irecv and MPI_Isend in start, MPI_Waitall in wait.
class IsendIrecv final : public PointToPoint {
 public:
  using PointToPoint::PointToPoint;
  void start(BufferSpans buffers) override;
  void wait() override;
  bool test() override;
};

/// Collective. Of isend_recv, isend_irecv or persistent.
Rounds point_to_point_rounds(const Communicator& comm, Method method, const Program& program);

}  // namespace halcyon::comm
