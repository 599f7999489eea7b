#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/schedule/collectives/rounds.hpp"
#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// A collective operation of MPI, executed by a named algorithm.
///
/// Buffers: "data" (broadcast, reduce, allreduce, scan, exscan: in place; after a reduce it is defined on the
/// root only) or "send" and "receive", and scratch buffers. Blocks are in the order of ranks. The operator of
/// reductions must be commutative, and associative except for rounding.
struct CollectiveOptions {
  std::string operation, algorithm;
  Rank n_ranks = 1;
  /// Size of the data of each rank: one for all ranks, or (rank) of gather, scatter, allgather and
  /// reduce_scatter, or (from, to) of alltoall.
  std::vector<std::int64_t> bytes{0};
  Rank root = 0;
  std::int64_t segment_bytes = 0;  ///< of pipelined broadcasts and reductions; 0: one segment
  std::int64_t item_bytes = 8;     ///< reductions are not cut within an item
  Rank ranks_per_node = 1;         ///< of algorithms that begin with "node_aware": consecutive ranks
};

/// @throws ConfigError that lists the names of operations or algorithms, for sizes of the wrong number or
/// below 0, an invalid root, and algorithms that require a power of two or an even number of ranks
SchedulePointer collective(const CollectiveOptions& options);

/// Names of the algorithms of an operation. @throws ConfigError that lists the operations
std::vector<std::string> algorithms_of(const std::string& operation);
std::vector<std::string> collective_operations();

/// Sizes of blocks in the order of ranks, without memory if they are equal.
class BlockList {
 public:
  BlockList(Rank n, const std::vector<std::int64_t>& bytes);

  std::int64_t offset(std::int64_t i) const { return offsets_.empty() ? i * equal_ : offsets_[i]; }
  std::int64_t bytes(std::int64_t i) const { return offset(i + 1) - offset(i); }
  /// Blocks i to j - 1 of a buffer.
  Block range(std::int32_t buffer, std::int64_t i, std::int64_t j) const {
    return {buffer, offset(i), offset(j) - offset(i)};
  }
  Block block(std::int32_t buffer, std::int64_t i) const { return range(buffer, i, i + 1); }
  /// Bytes of the blocks first + i to first + j - 1, cyclically, for 0 <= i, j <= n.
  std::int64_t rotated_bytes(Rank first, std::int64_t i, std::int64_t j) const;

 private:
  Rank n_;
  std::int64_t equal_ = 0;
  std::vector<std::int64_t> offsets_;  ///< empty if all are equal
};

/// Cuts data into pieces of whole items, as equal as possible.
struct Pieces {
  Pieces(std::int64_t bytes, std::int64_t item_bytes, std::int64_t n)
      : item_bytes(bytes % item_bytes == 0 ? item_bytes : 1), items(bytes / this->item_bytes), n(n) {}

  std::int64_t item_bytes, items, n;
  std::int64_t offset(std::int64_t i) const { return item_bytes * (items / n * i + std::min(i, items % n)); }
  Block range(std::int32_t buffer, std::int64_t i, std::int64_t j) const {
    return {buffer, offset(i), offset(j) - offset(i)};
  }
};

/// The algorithms of one operation each.
using CollectiveMaker = SchedulePointer (*)(const CollectiveOptions&);
struct NamedAlgorithm {
  std::string_view operation, name;
  CollectiveMaker make;
};
std::vector<NamedAlgorithm> tree_algorithms();       ///< broadcast, reduce, gather, scatter
std::vector<NamedAlgorithm> allgather_algorithms();  ///< also broadcast by scatter and allgather
std::vector<NamedAlgorithm> reduction_algorithms();  ///< reduce_scatter, allreduce, reduce
std::vector<NamedAlgorithm> other_algorithms();      ///< barrier, scan, exscan, alltoall
std::vector<NamedAlgorithm> composed_algorithms();   ///< sequences of other collectives

/// Helpers of the algorithms.
inline bool is_power_of_two(Rank n) {
  return n > 0 && (n & (n - 1)) == 0;
}
int rounds_of_doubling(Rank n);  ///< ceil(log2 n)
void require_power_of_two(const CollectiveOptions& options);

}  // namespace halcyon::schedule
