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

}  // namespace halcyon::comm
