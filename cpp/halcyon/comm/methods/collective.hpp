#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/methods/units.hpp"

namespace halcyon::comm {

/// One side of a collective that gives each rank its own: counts and places in units, one a rank. Places are
/// counted from the first message on, and a side without messages lies apart: Open MPI's MPI_Ialltoallv takes
/// two sides that begin at one address for one in place, also where they do not meet.
class CollectiveSide {
 public:
  /// @param peers the ranks of the collective, ascending
  CollectiveSide(const std::vector<Message>& messages, const std::vector<Rank>& peers);

  MPI_Datatype type() const { return units_.type(); }
  std::byte* base(BufferSpans buffers) {
    return empty() ? &nothing_ : buffers[buffer_].data() + begin_bytes_;
  }
  /// From the first message to the end of the last.
  std::int64_t extent_bytes() const;
  /// The messages alone, from base to base: what lies between them is not theirs.
  void copy(const std::byte* from, std::byte* to) const;

  std::vector<int> counts, places;

 private:
  bool empty() const { return messages_.empty(); }

  std::int32_t buffer_ = 0;
  std::int64_t begin_bytes_ = 0;
  std::vector<Message> messages_;  ///< offsets from the first one's
  Units units_;
  std::byte nothing_{};
};

/// Gives MPI a turn. Whether what the request stands for has ended.
bool has_ended(MPI_Request& request);

/// Collective.
/// @throws ConfigError, on all ranks, where ranks start different numbers of rounds, a message leaves in one
///         and is awaited in another, or a round has several messages to one partner or several buffers on
///         one side
void require_collectives(const Communicator& comm, const Program& program);

}  // namespace halcyon::comm
