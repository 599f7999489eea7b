#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "halcyon/comm/collectives.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {
namespace {

using Numbers = std::vector<std::int64_t>;
using Ids = std::vector<GlobalIndex>;

/// Records of cells as they are sent in messages, concatenated. A record is the id and owner of a cell, and
/// its lists of neighbours, edges and vertices, each preceded by its length.
class Records {
 public:
  explicit Records(std::size_t n_lists) : n_lists_(n_lists) {}

  /// Adds received records. @returns the ids of the cells that had no record yet
  Ids add(const Numbers& numbers) {
    Ids added;
    for (std::size_t begin = 0; begin < numbers.size();) {
      const auto end = end_of_record(numbers, begin);
      if (offsets_.emplace(numbers[begin], numbers_.size()).second) {
        added.push_back(numbers[begin]);
        numbers_.insert(numbers_.end(), numbers.begin() + begin, numbers.begin() + end);
      }
      begin = end;
    }
    return added;
  }
  bool has(GlobalIndex cell) const { return offsets_.contains(cell); }
  Rank owner(GlobalIndex cell) const { return static_cast<Rank>(numbers_[offsets_.at(cell) + 1]); }
  /// The neighbours (kind 0), edges (1) or vertices (2) of a cell.
  std::span<const std::int64_t> list(GlobalIndex cell, std::size_t kind) const {
    auto position = offsets_.at(cell) + 2;
    for (; kind > 0; --kind) position += 1 + numbers_[position];
    return std::span(numbers_).subspan(position + 1, numbers_[position]);
  }
  Ids ids() const {
    Ids all;
    for (const auto& [id, offset] : offsets_) all.push_back(id);
    std::ranges::sort(all);
    return all;
  }

 private:
  std::size_t end_of_record(const Numbers& numbers, std::size_t position) const {
    position += 2;  // id and owner
    for (std::size_t i = 0; i < n_lists_; ++i) position += 1 + numbers[position];
    return position;
  }

  std::size_t n_lists_;
  Numbers numbers_;
  std::unordered_map<GlobalIndex, std::size_t> offsets_;  ///< of the record of each cell in numbers_
};

/// Writes the records of the cells in the block of this rank.
class CellBlock {
 public:
  CellBlock(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners)
      : slice_(slice), owners_(owners), first_(slice.blocks(comm).first(comm.rank())) {}

  void write(GlobalIndex cell, Numbers& numbers) const {
    const auto row = static_cast<LocalIndex>(cell - first_);
    numbers.push_back(cell);
    numbers.push_back(owners_[row]);
    write_list(slice_.cells_on_cell[row], numbers);
    for (const auto& lists : slice_.on_cell) write_list(lists[row], numbers);
  }
  comm::ListsByRank records_by_owner() const {
    comm::ListsByRank all;
    for (LocalIndex row = 0; row < slice_.cells_on_cell.size(); ++row) write(first_ + row, all[owners_[row]]);
    return all;
  }

 private:
  static void write_list(std::span<const GlobalIndex> list, Numbers& numbers) {
    numbers.push_back(std::ssize(list));
    numbers.insert(numbers.end(), list.begin(), list.end());
  }

  const Slice& slice_;
  std::span<const Rank> owners_;
  GlobalIndex first_;
};

Numbers joined(const comm::ListsByRank& lists) {
  Numbers all;
  for (const auto& [sender, numbers] : lists) all.insert(all.end(), numbers.begin(), numbers.end());
  return all;
}

/// Collective. Requests data on each id from the rank whose block contains the id.
/// @param ids without duplicates
/// @param reply called as reply(id, numbers) on that rank; appends the data on the id to `numbers`
/// @returns the replies, concatenated
template <class Reply>
Numbers query_holders(const comm::Communicator& comm, const BlockDistribution& blocks, const Ids& ids,
                      const Reply& reply) {
  comm::ListsByRank requests, replies;
  for (const auto id : ids) requests[blocks.holder(id)].push_back(id);
  for (const auto& [source, requested] : sparse_exchange(comm, requests)) {
    auto& numbers = replies[source];
    for (const auto id : requested) reply(id, numbers);
  }
  return joined(sparse_exchange(comm, replies));
}

/// The inverse of the lists on_cell of a slice: the cells on each edge (or vertex) in the block of this rank.
class Directory {
 public:
  /// Collective. @param owners (cell in the block of this rank)   @param kind 1: edges, 2: vertices
  Directory(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
            std::size_t kind)
      : blocks_(slice.blocks(comm, kind)) {
    const auto& lists = slice.on_cell[kind - 1];
    const auto first = slice.blocks(comm).first(comm.rank());
    comm::ListsByRank entries;
    for (LocalIndex row = 0; row < lists.size(); ++row) {
      for (const auto item : lists[row]) {
        auto& numbers = entries[blocks_.holder(item)];
        numbers.insert(numbers.end(), {item, first + row, owners[row]});
      }
    }
    for (const auto& [sender, numbers] : sparse_exchange(comm, entries))
      for (std::size_t i = 0; i < numbers.size(); i += 3)
        entries_.push_back({numbers[i], numbers[i + 1], static_cast<Rank>(numbers[i + 2])});
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::pair(entry.item, entry.cell); });
  }

  /// Collective. Returns all cells on the edges or vertices that cells of this rank and of other ranks share.
  Ids cells_at_part_boundaries(const comm::Communicator& comm) const {
    comm::ListsByRank messages;
    for (auto begin = entries_.begin(); begin != entries_.end();) {
      const auto end = std::find_if_not(begin, entries_.end(),
                                        [&](const Entry& entry) { return entry.item == begin->item; });
      const std::span item_entries(begin, end);
      std::set<Rank> owners;  // empty if all cells on the item have the same owner
      if (std::ranges::any_of(item_entries, [&](const Entry& entry) { return entry.owner != begin->owner; }))
        for (const auto& entry : item_entries) owners.insert(entry.owner);
      for (const auto owner : owners)
        for (const auto& entry : item_entries) messages[owner].push_back(entry.cell);
      begin = end;
    }
    return joined(sparse_exchange(comm, messages));
  }

  /// Collective. Returns all cells on the given edges or vertices, some repeatedly.
  Ids cells_on(const comm::Communicator& comm, const Ids& items) const {
    return query_holders(comm, blocks_, items, [&](GlobalIndex item, Numbers& numbers) {
      for (const auto& entry : std::ranges::equal_range(entries_, item, {}, &Entry::item))
        numbers.push_back(entry.cell);
    });
  }

 private:
  struct Entry {
    GlobalIndex item, cell;  ///< an edge or vertex, and a cell on it
    Rank owner;              ///< of the cell
  };

  BlockDistribution blocks_;
  std::vector<Entry> entries_;  ///< sorted by item, then cell
};

/// Gathers the records of the cells of a patch, step by step.
class PatchBuilder {
 public:
  PatchBuilder(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners)
      : comm_(comm),
        cell_blocks_(slice.blocks(comm)),
        block_(comm, slice, owners),
        records_(slice.n_items.size()) {
    for (std::size_t kind = 1; kind < slice.n_items.size(); ++kind)
      directories_.emplace_back(comm, slice, owners, kind);
    requested_.resize(directories_.size());
    for (const auto& [sender, numbers] : sparse_exchange(comm, block_.records_by_owner())) {
      const auto added = records_.add(numbers);
      front_.insert(front_.end(), added.begin(), added.end());
    }
  }

  /// Collective. Adds the neighbours of the cells of the last step, and the cells with the same edges or
  /// vertices.
  void step() {
    std::unordered_set<GlobalIndex> new_cells;
    const auto request = [&](GlobalIndex cell) {
      if (!records_.has(cell)) new_cells.insert(cell);
    };
    for (const auto cell : front_) std::ranges::for_each(records_.list(cell, 0), request);
    for (std::size_t i = 0; i < directories_.size(); ++i)
      std::ranges::for_each(is_first_step_ ? directories_[i].cells_at_part_boundaries(comm_)
                                           : directories_[i].cells_on(comm_, new_items(i)),
                            request);
    is_first_step_ = false;
    front_ =
        records_.add(query_holders(comm_, cell_blocks_, {new_cells.begin(), new_cells.end()},
                                   [&](GlobalIndex cell, Numbers& numbers) { block_.write(cell, numbers); }));
  }

  const Records& records() const { return records_; }

 private:
  /// The edges (or vertices) on the cells of the last step that were not requested in earlier steps.
  Ids new_items(std::size_t directory) {
    Ids items;
    for (const auto cell : front_)
      for (const auto item : records_.list(cell, directory + 1))
        if (requested_[directory].insert(item).second) items.push_back(item);
    return items;
  }

  const comm::Communicator& comm_;
  BlockDistribution cell_blocks_;
  CellBlock block_;
  Records records_;
  std::vector<Directory> directories_;
  std::vector<std::unordered_set<GlobalIndex>> requested_;  ///< [kind - 1] edges or vertices
  Ids front_;                                               ///< cells added in the last step
  bool is_first_step_ = true;
};

/// The lists of one kind (Records::list) of all cells, as indices in `ids`, without entries that `ids` lacks.
Lists lists_of(const Records& records, std::size_t kind, const Ids& cells, const Ids& ids) {
  const GlobalToLocal index_of(ids);
  Lists lists;
  for (const auto cell : cells) {
    for (const auto id : records.list(cell, kind))
      if (const auto index = index_of(id); index != kNone) lists.values.push_back(index);
    lists.close();
  }
  return lists;
}

/// All edges (kind 1) or vertices (kind 2) on the cells, ascending.
Ids items_on(const Records& records, std::size_t kind, const Ids& cells) {
  Ids items;
  for (const auto cell : cells) {
    const auto list = records.list(cell, kind);
    items.insert(items.end(), list.begin(), list.end());
  }
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  return items;
}

}  // namespace

Patch gather_patch(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                   int n_steps) {
  PatchBuilder builder(comm, slice, owners);
  for (int step = 0; step < n_steps; ++step) builder.step();
  const auto& records = builder.records();
  Patch patch;
  const auto cells = records.ids();
  patch.to_global.push_back(cells);
  for (const auto cell : cells) patch.owners.push_back(records.owner(cell));
  patch.topology.cells_on_cell = lists_of(records, 0, cells, cells);
  for (std::size_t kind = 1; kind < slice.n_items.size(); ++kind) {
    auto items = items_on(records, kind, cells);
    patch.topology.shared.push_back(
        shared_entities(lists_of(records, kind, cells, items), static_cast<LocalIndex>(items.size())));
    patch.to_global.push_back(std::move(items));
  }
  return patch;
}

}  // namespace halcyon::decomposition
