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

/// The buffers of a schedule, to which its blocks refer by number.
using BufferSpans = std::span<const std::span<std::byte>>;

/// The messages of one round, sent and received by one exchange method.
class Round {
 public:
  virtual ~Round() = default;
  virtual void start(BufferSpans buffers) = 0;
  virtual void wait() = 0;
  /// Progresses the messages of the round. Returns whether all are complete, so that `wait` would not block.
  virtual bool test() = 0;
};

/// A round of the method `isend_irecv`, for use by other methods.
std::unique_ptr<Round> isend_irecv_round(const Communicator& comm, RoundMessages messages, Tag tag);

/// MPI datatype for the messages of a round: the largest unit that divides all their sizes and offsets, so
/// that large messages do not exceed the 32-bit counts of MPI.
class MessageUnit {
 public:
  explicit MessageUnit(const std::vector<Message>& messages);
  MessageUnit(const MessageUnit&) = delete;
  MessageUnit& operator=(const MessageUnit&) = delete;
  ~MessageUnit();

  MPI_Datatype type() const { return type_; }
  /// Size and offset of a message, in units. @throws ConfigError if they exceed 32 bits
  int size(const Message& message) const { return count(message.block.size_bytes); }
  int offset(const Message& message) const { return count(message.block.offset_bytes); }

 private:
  int count(std::int64_t bytes) const;

  std::int64_t unit_bytes_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// The send or receive arguments of a collective such as MPI_Alltoallv: counts and displacements in units,
/// per rank. Displacements are relative to the first message, and a side without messages has its own
/// dummy address: MPI_Ialltoallv of Open MPI treats equal send and receive addresses as in-place operation,
/// even if no messages overlap.
class CollectiveSide {
 public:
  /// @param peers ranks of the collective, ascending
  CollectiveSide(const std::vector<Message>& messages, const std::vector<Rank>& peers);

  MPI_Datatype type() const { return unit_.type(); }
  std::byte* base(BufferSpans buffers) {
    return messages_.empty() ? &empty_ : buffers[buffer_].data() + begin_bytes_;
  }
  /// Bytes from the beginning of the first message to the end of the last one.
  std::int64_t extent_bytes() const;
  /// Copies the messages from one base address to another, but not the bytes between them.
  void copy(const std::byte* from, std::byte* to) const;

  std::vector<int> counts, displacements;

 private:
  std::int32_t buffer_ = 0;
  std::int64_t begin_bytes_ = 0;
  std::vector<Message> messages_;  ///< with offsets relative to the first message
  MessageUnit unit_;
  std::byte empty_{};
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
  /// Calls a function such as MPI_Alltoallv. @param more arguments after the communicator
  template <class Function, class... More>
  int call(const Function& function, std::byte* from, std::byte* to, MPI_Comm comm, More... more) {
    return function(from, send_.counts.data(), send_.displacements.data(), send_.type(), to,
                    receive_.counts.data(), receive_.displacements.data(), receive_.type(), comm, more...);
  }
  template <class Function, class... More>
  int call(const Function& function, BufferSpans buffers, MPI_Comm comm, More... more) {
    return call(function, send_.base(buffers), receive_.base(buffers), comm, more...);
  }

  CollectiveSide send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Collective. Checks that each round can be one collective.
/// @throws ConfigError, on all ranks, if ranks start different numbers of rounds, a message is sent in one
/// round and received in another, or a round has several messages to one peer, or several send or receive
/// buffers
void require_collective_rounds(const Communicator& comm, const Program& program);

}  // namespace halcyon::comm
