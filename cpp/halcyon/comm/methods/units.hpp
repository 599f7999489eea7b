#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "halcyon/comm/exchange/program.hpp"

namespace halcyon::comm {

/// An MPI datatype of `bytes` bytes, freed at the end of its life.
class ByteType {
 public:
  explicit ByteType(std::int64_t bytes);
  ByteType(const ByteType&) = delete;
  ByteType& operator=(const ByteType&) = delete;
  ~ByteType();
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Messages counted in the largest unit that divides all their sizes and places, so that those of many
/// megabytes do not meet MPI's 32-bit counts.
class Units {
 public:
  explicit Units(const std::vector<Message>& messages);

  MPI_Datatype type() const { return type_.get(); }
  /// @throws ConfigError where it is beyond 32 bits
  int size(const Message& message) const { return count(message.block.size_bytes); }
  int place(const Message& message) const { return count(message.block.offset_bytes); }

 private:
  int count(std::int64_t bytes) const;

  std::int64_t unit_bytes_;
  ByteType type_;
};

}  // namespace halcyon::comm
