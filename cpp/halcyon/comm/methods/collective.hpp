#pragma once

#include "halcyon/comm/methods/round.hpp"

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
    return messages_.empty() ? &nothing_ : buffers[buffer_].data() + begin_bytes_;
  }
  /// From the first message to the end of the last.
  std::int64_t extent_bytes() const;
  /// The messages alone, from base to base: what lies between them is not theirs.
  void copy(const std::byte* from, std::byte* to) const;

  std::vector<int> counts, places;

 private:
  std::int32_t buffer_ = 0;
  std::int64_t begin_bytes_ = 0;
  std::vector<Message> messages_;  ///< offsets from the first one's
  Units units_;
  std::byte nothing_{};
};

/// A round that is one collective.
class CollectiveRound : public Round {
 public:
  CollectiveRound(const RoundMessages& messages, const std::vector<Rank>& destinations,
                  const std::vector<Rank>& sources)
      : send_(messages.sends, destinations), receive_(messages.receives, sources) {}

  void wait() override;
  bool test() override;

 protected:
  /// A call such as MPI_Alltoallv. @param more arguments after the communicator
  template <class Function, class... More>
  int call(const Function& function, std::byte* from, std::byte* to, MPI_Comm comm, More... more) {
    return function(from, send_.counts.data(), send_.places.data(), send_.type(), to, receive_.counts.data(),
                    receive_.places.data(), receive_.type(), comm, more...);
  }
  template <class Function, class... More>
  int call(const Function& function, BufferSpans buffers, MPI_Comm comm, More... more) {
    return call(function, send_.base(buffers), receive_.base(buffers), comm, more...);
  }

  CollectiveSide send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Collective.
/// @throws ConfigError, on all ranks, where ranks start different numbers of rounds, a message leaves in one
///         and is awaited in another, or a round has several messages to one partner or several buffers on
///         one side
void require_collectives(const Communicator& comm, const Program& program);

}  // namespace halcyon::comm
