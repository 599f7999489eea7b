#pragma once

#include <span>
#include <vector>

#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

/// Consecutive items of a file.
struct ItemRange {
  GlobalIndex first, count;
};

/// The items of a message between this rank and a peer: consecutive positions in a list.
struct PeerRange {
  Rank peer;
  std::size_t first, count;
};

/// A part of the items that is transferred in one step.
struct Slice {
  std::vector<PeerRange> items_per_io_rank;  ///< positions in Placement::order()
  std::vector<PeerRange> rows_per_rank;      ///< positions in Placement::rows(), on an I/O rank
  std::size_t first_row = 0, n_rows = 0;
  std::vector<ItemRange> runs;  ///< the rows' items in the file
};

/// The map from the items of all ranks to a file ordered by global id, and to the I/O ranks that write and
/// read them. Built once for cells, edges or vertices, and used for every variable on them. It needs global
/// ids only, no decomposition. An I/O rank sorts the items that it receives into rows, and merges rows of
/// consecutive ids into runs.
class Placement {
 public:
  /// Collective. @param ids global ids of this rank's items, in any order; for reading, several ranks may
  /// hold the same item. @param n_items number of items in the file
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
  /// The row of each item that this I/O rank receives, in the order of the messages.
  std::span<const std::size_t> rows() const { return rows_; }
  std::span<const ItemRange> runs() const { return runs_; }

  /// Number of slices in which items of a given size are transferred, such that no I/O rank holds more than
  /// `piece_bytes` at a time.
  int n_slices(std::int64_t item_bytes) const;
  Slice slice(int number, int n_slices) const;

 private:
  void exchange_ids(const std::vector<Rank>& io_ranks);
  void find_rows(std::span<const GlobalIndex> received_ids);
  bool check_partition() const;
  std::pair<GlobalIndex, GlobalIndex> bounds(Rank io, int number, int n_slices) const;

  Ranks ranks_;
  GlobalIndex n_items_;
  std::vector<GlobalIndex> ids_, row_ids_;
  std::vector<std::size_t> order_, rows_;
  std::vector<PeerRange> items_per_io_rank_, rows_per_rank_;
  std::vector<ItemRange> runs_;
  std::int64_t max_rows_ = 0;  ///< largest number of rows of an I/O rank
  bool is_partition_ = false;
};

}  // namespace halcyon::io
