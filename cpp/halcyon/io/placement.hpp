#pragma once

#include <span>
#include <vector>

#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

/// Consecutive items of a file.
struct Run {
  GlobalIndex first, count;
};

/// Items that travel between this rank and another: consecutive positions in a list.
struct Lane {
  Rank peer;
  std::size_t first, count;
};

/// A part of the items that moves at once.
struct Slice {
  std::vector<Lane> given;  ///< of Placement::order()
  std::vector<Lane> taken;  ///< of Placement::rows(), on an I/O rank
  std::size_t first_row = 0, n_rows = 0;
  std::vector<Run> runs;  ///< where the rows lie in the file
};

/// Where the items of all ranks lie in a file that is ordered by global id, and by which I/O rank each is
/// written and read. Made once for cells, edges or vertices, used for every variable on them. It knows ids
/// alone, no decomposition. An I/O rank sorts what it takes into rows and merges them into runs.
class Placement {
 public:
  /// Collective. @param ids the global id of each of this rank's items, in any order; several ranks may hold
  /// the same item, for reading. @param n_items of all ranks together
  /// @throws InternalError on all ranks if an id is not in 0..n_items-1
  Placement(const Ranks& ranks, std::span<const GlobalIndex> ids, GlobalIndex n_items);

  const Ranks& ranks() const { return ranks_; }
  std::size_t size() const { return order_.size(); }
  GlobalIndex n_items() const { return n_items_; }
  std::span<const GlobalIndex> ids() const { return ids_; }
  /// Whether every item of the file belongs to exactly one rank, as writing needs.
  bool is_partition() const { return is_partition_; }

  /// Positions of this rank's items, sorted by id.
  std::span<const std::size_t> order() const { return order_; }
  /// The row of each item that this I/O rank takes, in the order in which they come.
  std::span<const std::size_t> rows() const { return rows_; }
  std::span<const Run> runs() const { return runs_; }

  /// In how many slices items of so many bytes move, so that no I/O rank takes more than `piece_bytes` at
  /// once.
  int n_slices(std::int64_t item_bytes) const;
  Slice slice(int number, int n_slices) const;

 private:
  void exchange_ids(const std::vector<Rank>& keepers);
  void find_rows(std::span<const GlobalIndex> taken_ids);
  bool find_partition() const;
  std::pair<GlobalIndex, GlobalIndex> bounds(Rank io, int number, int n_slices) const;

  Ranks ranks_;
  GlobalIndex n_items_;
  std::vector<GlobalIndex> ids_, row_ids_;
  std::vector<std::size_t> order_, rows_;
  std::vector<Lane> given_, taken_;
  std::vector<Run> runs_;
  std::int64_t most_rows_ = 0;  ///< of an I/O rank
  bool is_partition_ = false;
};

}  // namespace halcyon::io
