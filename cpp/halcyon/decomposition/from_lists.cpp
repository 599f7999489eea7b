#include "halcyon/decomposition/from_lists.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {
namespace {

/// Non-owning view of the lists that a caller passes.
template <class Value>
struct ListsView {
  std::span<const LocalIndex> offsets;
  std::span<const Value> values;

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const Value> operator[](LocalIndex i) const {
    return values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

/// Checks one list per cell. @param n_entities number of entities of the kind in the whole mesh
template <class Value>
void require_lists(int kind, const ListsView<Value>& lists, LocalIndex n_cells, Value n_entities) {
  const auto& offsets = lists.offsets;
  const auto name = kKinds[kind];
  require<InputError>(std::ssize(offsets) == n_cells + 1,
                      "There are {} offsets of {} lists, but {} cells. Give one offset more than cells.",
                      offsets.size(), name, n_cells);
  require<InputError>(offsets.front() == 0 && offsets.back() == std::ssize(lists.values),
                      "The offsets of the {} lists run from {} to {}, but must run from 0 to {}.", name,
                      offsets.front(), offsets.back(), lists.values.size());
  for (LocalIndex cell = 0; cell < n_cells; ++cell)
    require<InputError>(offsets[cell] <= offsets[cell + 1],
                        "The offsets of the {} list of cell {} decrease from {} to {}.", name, cell,
                        offsets[cell], offsets[cell + 1]);
  for (LocalIndex cell = 0; cell < n_cells; ++cell)
    for (const auto item : lists[cell])
      require<InputError>(item < n_entities, "Cell {} has the {} {}, but the numbers are 0 to {}.", cell,
                          name, item, n_entities - 1);
}

/// Copies the lists without their negative entries.
template <class Value>
ListsOf<Value> without_missing(const ListsView<Value>& lists) {
  ListsOf<Value> valid;
  valid.offsets.reserve(lists.offsets.size());
  valid.values.reserve(lists.values.size());
  for (LocalIndex cell = 0; cell < lists.size(); ++cell) {
    std::ranges::copy_if(lists[cell], std::back_inserter(valid.values), [](auto item) { return item >= 0; });
    valid.close();
  }
  return valid;
}

template <class Value>
ListsOf<Value> empty_lists(LocalIndex n_cells) {
  return {std::vector<LocalIndex>(n_cells + 1, 0), {}};
}

void require_kind(int kind) {
  require<InternalError>(kind == 1 || kind == 2, "Cells share edges (1) and vertices (2), not kind {}.",
                         kind);
}

void require_mutual(const Lists& cells_on_cell) {
  for (LocalIndex cell = 0; cell < cells_on_cell.size(); ++cell) {
    for (const auto other : cells_on_cell[cell]) {
      require<InputError>(other != cell, "Cell {} is its own neighbour.", cell);
      const auto neighbours = cells_on_cell[other];
      require<InputError>(std::ranges::find(neighbours, cell) != neighbours.end(),
                          "Cell {} has the neighbour {}, but not vice versa.", cell, other);
    }
  }
}

}  // namespace

Topology topology_of(std::span<const LocalIndex> offsets, std::span<const LocalIndex> cells_on_cell) {
  require<InputError>(!offsets.empty(), "The offsets of cells_on_cell are empty.");
  const ListsView<LocalIndex> lists{offsets, cells_on_cell};
  require_lists(0, lists, lists.size(), lists.size());
  Topology topology;
  topology.cells_on_cell = without_missing(lists);
  require_mutual(topology.cells_on_cell);
  topology.shared.assign(kKinds.size() - 1, shared_entities(empty_lists<LocalIndex>(lists.size()), 0));
  return topology;
}

void set_shared(Topology& topology, int kind, std::span<const LocalIndex> offsets,
                std::span<const LocalIndex> on_cell, LocalIndex n_shared) {
  require_kind(kind);
  const ListsView<LocalIndex> lists{offsets, on_cell};
  require_lists(kind, lists, topology.n_cells(), n_shared);
  topology.shared.resize(kKinds.size() - 1);
  topology.shared[kind - 1] = shared_entities(without_missing(lists), n_shared);
}

Slice slice_of(GlobalIndex n_cells, std::span<const LocalIndex> offsets,
               std::span<const GlobalIndex> cells_on_cell) {
  require<InputError>(!offsets.empty(), "The offsets of cells_on_cell are empty.");
  const ListsView<GlobalIndex> lists{offsets, cells_on_cell};
  require_lists(0, lists, lists.size(), n_cells);
  Slice slice;
  slice.n_items.assign(kKinds.size(), 0);
  slice.n_items[0] = n_cells;
  slice.cells_on_cell = without_missing(lists);
  slice.on_cell.assign(kKinds.size() - 1, empty_lists<GlobalIndex>(lists.size()));
  return slice;
}

void set_shared(Slice& slice, int kind, std::span<const LocalIndex> offsets,
                std::span<const GlobalIndex> on_cell, GlobalIndex n_shared) {
  require_kind(kind);
  const ListsView<GlobalIndex> lists{offsets, on_cell};
  require_lists(kind, lists, slice.cells_on_cell.size(), n_shared);
  slice.n_items[kind] = n_shared;
  slice.on_cell[kind - 1] = without_missing(lists);
}

void to_local(const IndexMap& index_map, std::span<const GlobalIndex> ids, std::span<LocalIndex> local) {
  std::ranges::transform(ids, local.begin(), GlobalToLocal(index_map.to_global));
}

void require_owners(const Topology& topology, std::span<const Rank> owners, Rank n_ranks) {
  require<InputError>(std::ssize(owners) == topology.n_cells(), "There are {} owners for {} cells.",
                      owners.size(), topology.n_cells());
  const auto invalid = std::ranges::find_if(owners, [=](Rank rank) { return rank < 0 || rank >= n_ranks; });
  require<InputError>(invalid == owners.end(), "Cell {} is owned by rank {}, but the ranks are 0 to {}.",
                      invalid - owners.begin(), invalid == owners.end() ? 0 : *invalid, n_ranks - 1);
}

}  // namespace halcyon::decomposition
