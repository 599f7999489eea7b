#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/node/node.hpp"

namespace halcyon::comm {

/// Memory of a rank that the other ranks of its node read: fields that lie here are exchanged by the method
/// `shared` without packing, straight from their owner's memory, and by any other method as if they lay
/// elsewhere. Its bytes are undefined at first. Move-only.
///
///     comm::NodeMemory memory(comm, n_local_cells * n_levels * sizeof(double));
///     auto pending = exchange.start(std::vector{memory.bytes()});
class NodeMemory {
 public:
  NodeMemory() = default;
  /// Collective.
  NodeMemory(const Communicator& comm, std::int64_t bytes);
  NodeMemory(NodeMemory&& other) noexcept { *this = std::move(other); }
  NodeMemory& operator=(NodeMemory&& other) noexcept;
  /// Gives the memory back, without waiting for the other ranks: it is freed by the next NodeMemory of this
  /// communicator that is made when all ranks have given theirs back, or at the end of MPI.
  ~NodeMemory() { give_back(); }

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  void give_back();

  std::shared_ptr<Node> node_;
  std::int64_t window_ = -1;
  std::span<std::byte> bytes_;
};

}  // namespace halcyon::comm
