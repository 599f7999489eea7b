#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

class NodeMemory;

/// Where bytes lie in a rank's part of a window.
struct Place {
  std::int64_t window = -1;
  std::int64_t offset_bytes = 0;
};

/// The ranks of a communicator that share memory, and the windows that they share.
class Node {
 public:
  /// Collective on the communicator. @param max_ranks 0: all ranks that share memory; else they are split
  /// into groups of at most so many
  Node(MPI_Comm comm, Rank max_ranks);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  /// The ranks of the communicator that are on this node, ascending.
  const std::vector<Rank>& ranks() const { return ranks_; }
  /// A rank's place among them, or kNone where it is on another node.
  Rank node_rank_of(Rank rank) const;

  /// Where a range of this rank's memory lies, if in a window.
  std::optional<Place> place_of(std::span<const std::byte> range) const;
  /// What another rank of the node calls `place`, in this rank's address space.
  std::byte* address(Rank node_rank, const Place& place) const {
    return windows_[place.window].parts[node_rank].data() + place.offset_bytes;
  }

 private:
  friend class NodeMemory;

  struct Window {
    MPI_Win win = MPI_WIN_NULL;
    std::vector<std::span<std::byte>> parts;  ///< of all ranks of the node, in this rank's address space
    bool given_back = false;
  };

  std::int64_t allocate(std::int64_t bytes);
  void free_given_back();
  std::span<std::byte> mine(std::int64_t window) const { return windows_[window].parts[node_rank_]; }

  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank node_rank_ = 0;
  std::vector<Rank> ranks_;
  std::vector<Window> windows_;
};

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
