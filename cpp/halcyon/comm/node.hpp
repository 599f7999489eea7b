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

/// Location of data in shared memory: a window, and the offset in the owner's part of this window.
struct WindowLocation {
  std::int64_t window = -1;  ///< number of the window; -1: not in a window
  std::int64_t offset_bytes = 0;
};

/// The ranks of a communicator that share memory, and their shared-memory windows.
class Node {
 public:
  /// Collective on the communicator.
  /// @param max_ranks splits the ranks that share memory into nodes of at most this many; 0: no split
  Node(MPI_Comm comm, Rank max_ranks);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  /// The ranks of the communicator that are on this node, ascending.
  const std::vector<Rank>& ranks() const { return ranks_; }
  /// Index of a rank in `ranks()`, or kNone if it is on another node.
  Rank node_rank_of(Rank rank) const;

  /// Location of a range of this rank's memory, if the range is in a window.
  std::optional<WindowLocation> location_of(std::span<const std::byte> range) const;
  /// Address, in this rank's address space, of a location in another rank's part of a window.
  std::byte* address(Rank node_rank, const WindowLocation& location) const {
    return windows_[location.window].parts[node_rank].data() + location.offset_bytes;
  }

 private:
  friend class NodeMemory;

  struct Window {
    MPI_Win win = MPI_WIN_NULL;
    std::vector<std::span<std::byte>> parts;  ///< memory of each rank of the node, as mapped into this rank
    bool is_released = false;                 ///< by this rank
  };

  /// Collective on `comm`, whose ranks this node belongs to. Returns the number of a new window with `bytes`
  /// on this rank. @throws ConfigError, on all ranks of `comm`, if a node has too little shared memory
  std::int64_t allocate(const Communicator& comm, std::int64_t bytes);
  void require_free_memory(std::int64_t bytes) const;
  void free_released();
  std::span<std::byte> own_part(std::int64_t window) const { return windows_[window].parts[node_rank_]; }

  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank node_rank_ = 0;
  std::vector<Rank> ranks_;
  std::vector<Window> windows_;
};

/// Memory of a rank that the other ranks of the node can read. The exchange method `shared` copies fields
/// directly out of the owner's NodeMemory, without packing; other methods use it as ordinary memory. Its
/// bytes are not initialized. Move-only.
///
///     comm::NodeMemory memory(comm, n_local_cells * n_levels * sizeof(double));
///     auto pending = exchange.start(std::vector{memory.bytes()});
class NodeMemory {
 public:
  NodeMemory() = default;
  /// Collective.
  /// @throws ConfigError, on all ranks, if a node has too little free shared memory
  NodeMemory(const Communicator& comm, std::int64_t bytes);
  NodeMemory(NodeMemory&& other) noexcept { *this = std::move(other); }
  NodeMemory& operator=(NodeMemory&& other) noexcept;
  /// Releases the memory without waiting for the other ranks. The window is freed after all ranks have
  /// released it, when the next NodeMemory is created on this communicator, or by MPI_Finalize.
  ~NodeMemory() { release(); }

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  void release();

  std::shared_ptr<Node> node_;
  std::int64_t window_ = -1;
  std::span<std::byte> bytes_;
};

}  // namespace halcyon::comm
