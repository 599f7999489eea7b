#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
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

/// A round by `isend_irecv`, of which other methods may be made.
std::unique_ptr<Round> isend_irecv_round(const Communicator& comm, RoundMessages messages, Tag tag);

/// Messages counted in the largest unit that divides all their sizes and places, so that those of many
/// megabytes do not meet MPI's 32-bit counts.
class Units {
 public:
  explicit Units(const std::vector<Message>& messages);
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;
  ~Units();

  MPI_Datatype type() const { return type_; }
  /// @throws ConfigError where it is beyond 32 bits
  int size(const Message& message) const { return count(message.block.size_bytes); }
  int place(const Message& message) const { return count(message.block.offset_bytes); }

 private:
  int count(std::int64_t bytes) const;

  std::int64_t unit_bytes_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

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
