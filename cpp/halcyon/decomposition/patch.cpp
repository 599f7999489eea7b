#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "halcyon/comm/collectives.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

namespace {

using Words = std::vector<std::int64_t>;
using Ids = std::vector<GlobalIndex>;

/// Cells as they travel and as they are kept, one after another: id, owner, then neighbours, edges, vertices
/// as counted lists.
class Records {
 public:
  explicit Records(std::size_t n_lists) : n_lists_(n_lists) {}

  /// Takes records that came. @returns the ids of the new ones
  Ids add(const Words& words) {
    Ids added;
    for (std::size_t at = 0; at < words.size();) {
      const auto end = end_of(words, at);
      if (places_.emplace(words[at], words_.size()).second) {
        added.push_back(words[at]);
        words_.insert(words_.end(), words.begin() + at, words.begin() + end);
      }
      at = end;
    }
    return added;
  }
  bool has(GlobalIndex cell) const { return places_.contains(cell); }
  Rank owner(GlobalIndex cell) const { return static_cast<Rank>(words_[places_.at(cell) + 1]); }
  std::span<const std::int64_t> list(GlobalIndex cell, std::size_t number) const {
    auto at = places_.at(cell) + 2;
    for (; number > 0; --number) at += 1 + words_[at];
    return std::span(words_).subspan(at + 1, words_[at]);
  }
  Ids ids() const {
    Ids all;
    for (const auto& [id, place] : places_) all.push_back(id);
    std::ranges::sort(all);
    return all;
  }

 private:
  std::size_t end_of(const Words& words, std::size_t at) const {
    at += 2;
    for (std::size_t i = 0; i < n_lists_; ++i) at += 1 + words[at];
    return at;
  }

  std::size_t n_lists_;
  Words words_;
  std::unordered_map<GlobalIndex, std::size_t> places_;
};

/// Writes the records of the cells of a block.
class Block {
 public:
  Block(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners)
      : slice_(slice), owners_(owners), first_(slice.blocks(comm).first(comm.rank())) {}

  void write(GlobalIndex cell, Words& words) const {
    const auto row = static_cast<LocalIndex>(cell - first_);
    words.push_back(cell);
    words.push_back(owners_[row]);
    write_list(slice_.cells_on_cell[row], words);
    for (const auto& lists : slice_.on_cell) write_list(lists[row], words);
  }
  comm::ListsByRank by_owner() const {
    comm::ListsByRank all;
    for (LocalIndex row = 0; row < slice_.cells_on_cell.size(); ++row) write(first_ + row, all[owners_[row]]);
    return all;
  }

 private:
  static void write_list(std::span<const GlobalIndex> list, Words& words) {
    words.push_back(std::ssize(list));
    words.insert(words.end(), list.begin(), list.end());
  }

  const Slice& slice_;
  std::span<const Rank> owners_;
  GlobalIndex first_;
};

Words joined(const comm::ListsByRank& lists) {
  Words all;
  for (const auto& [sender, words] : lists) all.insert(all.end(), words.begin(), words.end());
  return all;
}

/// Collective. Asks the holder of each id, who writes what is known of it behind what it has written.
/// @param ids each once
template <class Answer>
Words ask(const comm::Communicator& comm, const Blocks& blocks, const Ids& ids, const Answer& answer) {
  comm::ListsByRank questions, answers;
  for (const auto id : ids) questions[blocks.holder(id)].push_back(id);
  for (const auto& [asker, wanted] : sparse_exchange(comm, questions)) {
    auto& words = answers[asker];
    for (const auto id : wanted) answer(id, words);
  }
  return joined(sparse_exchange(comm, answers));
}

/// Which cells lie on the edges or vertices of this rank's block of them.
class Directory {
 public:
  /// Collective. @param owners of the cells of this rank's block
  Directory(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
            std::size_t kind)
      : blocks_(slice.blocks(comm, kind)) {
    const auto& lists = slice.on_cell[kind - 1];
    const auto first = slice.blocks(comm).first(comm.rank());
    comm::ListsByRank entries;
    for (LocalIndex row = 0; row < lists.size(); ++row) {
      for (const auto item : lists[row]) {
        auto& words = entries[blocks_.holder(item)];
        words.insert(words.end(), {item, first + row, owners[row]});
      }
    }
    for (const auto& [sender, words] : sparse_exchange(comm, entries)) {
      for (std::size_t i = 0; i < words.size(); i += 3)
        entries_.push_back({words[i], words[i + 1], static_cast<Rank>(words[i + 2])});
    }
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::pair(entry.item, entry.cell); });
  }

  /// Collective. All cells on items that this rank shares with another.
  Ids cells_at_borders(const comm::Communicator& comm) const {
    comm::ListsByRank told;
    for (auto begin = entries_.begin(); begin != entries_.end();) {
      const auto end = std::find_if_not(begin, entries_.end(),
                                        [&](const Entry& entry) { return entry.item == begin->item; });
      const std::span cells(begin, end);
      std::set<Rank> owners;
      if (std::ranges::any_of(cells, [&](const Entry& entry) { return entry.owner != begin->owner; }))
        for (const auto& entry : cells) owners.insert(entry.owner);
      for (const auto owner : owners)
        for (const auto& entry : cells) told[owner].push_back(entry.cell);
      begin = end;
    }
    return joined(sparse_exchange(comm, told));
  }

  /// Collective. All cells on the given items, some perhaps several times.
  Ids cells_on(const comm::Communicator& comm, const Ids& items) const {
    return ask(comm, blocks_, items, [&](GlobalIndex item, Words& words) {
      for (const auto& entry : std::ranges::equal_range(entries_, item, {}, &Entry::item))
        words.push_back(entry.cell);
    });
  }

 private:
  struct Entry {
    GlobalIndex item, cell;
    Rank owner;
  };

  Blocks blocks_;
  std::vector<Entry> entries_;  ///< by item and cell
};

/// Grows a patch step by step.
class Growth {
 public:
  Growth(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners)
      : comm_(comm), cells_(slice.blocks(comm)), block_(comm, slice, owners), records_(slice.n_items.size()) {
    for (std::size_t kind = 1; kind < slice.n_items.size(); ++kind)
      directories_.emplace_back(comm, slice, owners, kind);
    asked_.resize(directories_.size());
    for (const auto& [sender, words] : sparse_exchange(comm, block_.by_owner())) {
      const auto added = records_.add(words);
      front_.insert(front_.end(), added.begin(), added.end());
    }
  }

  /// Collective. Takes the cells that neighbour those of the last step or lie on the same items.
  void step() {
    std::unordered_set<GlobalIndex> wanted;
    const auto want = [&](GlobalIndex cell) {
      if (!records_.has(cell)) wanted.insert(cell);
    };
    for (const auto cell : front_) std::ranges::for_each(records_.list(cell, 0), want);
    for (std::size_t i = 0; i < directories_.size(); ++i)
      std::ranges::for_each(
          is_first_ ? directories_[i].cells_at_borders(comm_) : directories_[i].cells_on(comm_, new_items(i)),
          want);
    is_first_ = false;
    front_ = records_.add(ask(comm_, cells_, {wanted.begin(), wanted.end()},
                              [&](GlobalIndex cell, Words& words) { block_.write(cell, words); }));
  }

  const Records& records() const { return records_; }

 private:
  /// The items on the cells of the last step that were not asked for before.
  Ids new_items(std::size_t directory) {
    Ids items;
    for (const auto cell : front_) {
      for (const auto item : records_.list(cell, directory + 1)) {
        if (asked_[directory].insert(item).second) items.push_back(item);
      }
    }
    return items;
  }

  const comm::Communicator& comm_;
  Blocks cells_;
  Block block_;
  Records records_;
  std::vector<Directory> directories_;
  std::vector<std::unordered_set<GlobalIndex>> asked_;
  Ids front_;
  bool is_first_ = true;
};

/// The lists of all cells, as positions among `ids`; what is not there is left out.
Lists lists_of(const Records& records, std::size_t number, const Ids& cells, const Ids& ids) {
  const LocalNumbers position(ids);
  Lists lists;
  for (const auto cell : cells) {
    for (const auto id : records.list(cell, number)) {
      if (const auto at = position(id); at != kNone) lists.values.push_back(at);
    }
    lists.close();
  }
  return lists;
}

/// All items in the lists of the cells, sorted.
Ids items_on(const Records& records, std::size_t number, const Ids& cells) {
  Ids items;
  for (const auto cell : cells) {
    const auto list = records.list(cell, number);
    items.insert(items.end(), list.begin(), list.end());
  }
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  return items;
}

}  // namespace

Patch gather_patch(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                   int n_steps) {
  Growth growth(comm, slice, owners);
  for (int step = 0; step < n_steps; ++step) growth.step();
  const auto& records = growth.records();
  Patch patch;
  const auto cells = records.ids();
  patch.to_global.push_back(cells);
  for (const auto cell : cells) patch.owners.push_back(records.owner(cell));
  patch.topology.cells_on_cell = lists_of(records, 0, cells, cells);
  for (std::size_t kind = 1; kind < slice.n_items.size(); ++kind) {
    auto items = items_on(records, kind, cells);
    patch.topology.shared.push_back(
        share(lists_of(records, kind, cells, items), static_cast<LocalIndex>(items.size())));
    patch.to_global.push_back(std::move(items));
  }
  return patch;
}

}  // namespace halcyon::decomposition
