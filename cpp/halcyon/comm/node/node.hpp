#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

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

}  // namespace halcyon::comm
