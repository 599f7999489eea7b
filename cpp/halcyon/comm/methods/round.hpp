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

/// The buffers of a schedule; a block names a buffer by its number.
using BufferSpans = std::span<const std::span<std::byte>>;

/// The messages of one round, sent and received by one exchange method.
class Round {
 public:
  virtual ~Round() = default;
  /// @param buffers must stay valid until `wait` has returned
  virtual void start(BufferSpans buffers) = 0;
  virtual void wait() = 0;
  /// Progresses the messages of the round. Returns whether all have completed, so that `wait` does not block.
  virtual bool test() = 0;
};

/// A round of the method `isend_irecv`, for use by other methods.
std::unique_ptr<Round> isend_irecv_round(const Communicator& comm, RoundMessages messages, Tag tag);

/// MPI datatype for the messages of a round. Its size is the greatest common divisor of all sizes and
/// offsets, so that the counts of large messages do not exceed the 32 bits of MPI.
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

/// The send arguments, or the receive arguments, of a collective such as MPI_Alltoallv: counts and
/// displacements per rank, in units of the datatype, and the base address. The base is the address of the
/// first message, or of a dummy byte if there are no messages, so that send and receive bases differ:
/// MPI_Ialltoallv of Open MPI treats equal bases as in-place operation, even if no messages overlap.
class CollectiveSide {
 public:
  /// @param peers ranks in the collective, ascending
  CollectiveSide(const std::vector<Message>& messages, const std::vector<Rank>& peers);

  MPI_Datatype type() const { return unit_.type(); }
  std::byte* base(BufferSpans buffers) {
    return messages_.empty() ? &empty_ : buffers[buffer_].data() + begin_bytes_;
  }
  /// Bytes from the beginning of the first message to the end of the last one.
  std::int64_t extent_bytes() const;
  /// Copies the messages from one base address to another, but not the bytes between them.
  void copy(const std::byte* from_base, std::byte* to_base) const;

  std::vector<int> counts, displacements;  ///< per peer [units]

 private:
  std::int32_t buffer_ = 0;
  std::int64_t begin_bytes_ = 0;   ///< offset of the first message in the buffer
  std::vector<Message> messages_;  ///< with offsets relative to the first message
  MessageUnit unit_;
  std::byte empty_{};
};

/// A round that is one MPI collective.
class CollectiveRound : public Round {
 public:
  CollectiveRound(const RoundMessages& messages, const std::vector<Rank>& destinations,
                  const std::vector<Rank>& sources)
      : send_(messages.sends, destinations), receive_(messages.receives, sources) {}

  void wait() override;
  bool test() override;

 protected:
  /// Calls a function such as MPI_Alltoallv. @param last_arguments arguments after the communicator
  template <class Function, class... Last>
  int call(const Function& function, std::byte* sent, std::byte* received, MPI_Comm comm,
           Last... last_arguments) {
    return function(sent, send_.counts.data(), send_.displacements.data(), send_.type(), received,
                    receive_.counts.data(), receive_.displacements.data(), receive_.type(), comm,
                    last_arguments...);
  }
  template <class Function, class... Last>
  int call(const Function& function, BufferSpans buffers, MPI_Comm comm, Last... last_arguments) {
    return call(function, send_.base(buffers), receive_.base(buffers), comm, last_arguments...);
  }

  CollectiveSide send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Collective. Whether the list is the same on all ranks.
bool is_equal_on_all_ranks(const Communicator& comm, const std::vector<std::int64_t>& list);

/// Collective. Checks that each round can be one MPI collective.
/// @throws ConfigError, on all ranks, if ranks start different numbers of rounds, if a message is sent and
/// received in rounds of different numbers, or if a rank has several messages with one peer, several send
/// buffers or several receive buffers in a round
void require_collective_rounds(const Communicator& comm, const Program& program);

}  // namespace halcyon::comm
