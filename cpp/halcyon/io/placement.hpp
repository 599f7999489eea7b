#pragma once

#include <span>
#include <vector>

#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

/// Consecutive items of a file: cells, edges, vertices or grid rows. The id of an item is its index there.
struct ItemRange {
  GlobalIndex first, count;  ///< first id, and number of items
};

/// The items of a message between this rank and rank `peer`: `count` positions of a list from `first` on.
struct PeerRange {
  Rank peer;
  std::size_t first, count;
};

/// The items that are transferred in one step; several steps limit the memory of I/O ranks.
struct Slice {
  std::vector<PeerRange> items_per_io_rank;  ///< this rank's messages, as positions in Placement::order()
  // On an I/O rank:
  std::vector<PeerRange> rows_per_rank;   ///< messages of all ranks, as positions in Placement::rows()
  std::size_t first_row = 0, n_rows = 0;  ///< rows of the slice
  std::vector<ItemRange> runs;            ///< the items of these rows in the file
};

/// The map from the items of all ranks to positions in a file, which is ordered by global id, and to the I/O
/// ranks that write and read the items. Built once for cells, edges or vertices, and used for all their
/// variables. It needs only global ids, no decomposition. An I/O rank sorts the items that it receives by id:
/// row i is the item with the i-th smallest id, and a run is a sequence of rows with consecutive ids.
class Placement {
 public:
  /// Collective.
  /// @param ids global ids of this rank's items, in any order; several ranks may read the same item
  /// @param n_items number of items in the file
  /// @throws InternalError on all ranks if an id is not in 0..n_items-1
  Placement(const Ranks& ranks, std::span<const GlobalIndex> ids, GlobalIndex n_items);

  const Ranks& ranks() const { return ranks_; }
  std::size_t size() const { return order_.size(); }
  GlobalIndex n_items() const { return n_items_; }
  std::span<const GlobalIndex> ids() const { return ids_; }
  /// Whether every item of the file belongs to exactly one rank, as writing needs.
  bool is_partition() const { return is_partition_; }

  /// Positions of this rank's items in `ids()`, sorted by id.
  std::span<const std::size_t> order() const { return order_; }
  /// On an I/O rank, the row of each item that it receives, in the order of the messages.
  std::span<const std::size_t> rows() const { return rows_; }
  /// On an I/O rank, the runs of its rows.
  std::span<const ItemRange> runs() const { return runs_; }

  /// Number of slices in which items of `item_bytes` each are transferred: as many as needed so that an I/O
  /// rank receives at most `Options::piece_bytes` per slice.
  int n_slices(std::int64_t item_bytes) const;
  /// Returns slice `number` (0 .. n_slices - 1).
  Slice slice(int number, int n_slices) const;

 private:
  void exchange_ids(const std::vector<Rank>& io_ranks);
  void find_rows(std::span<const GlobalIndex> received_ids);
  bool check_partition() const;
  std::pair<GlobalIndex, GlobalIndex> id_range(Rank io, int number, int n_slices) const;

  Ranks ranks_;
  GlobalIndex n_items_;
  std::vector<GlobalIndex> ids_, row_ids_;  ///< of this rank's items; of this I/O rank's rows
  std::vector<std::size_t> order_, rows_;
  std::vector<PeerRange> items_per_io_rank_, rows_per_rank_;
  std::vector<ItemRange> runs_;
  std::int64_t max_rows_ = 0;  ///< largest number of rows of an I/O rank
  bool is_partition_ = false;
};

}  // namespace halcyon::io
