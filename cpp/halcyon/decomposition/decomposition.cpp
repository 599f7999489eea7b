#include "halcyon/decomposition/decomposition.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "halcyon/base/error.hpp"

namespace halcyon::decomposition {

namespace {

using Cells = std::vector<LocalIndex>;  // positions in the whole mesh

/// Finds what a rank holds. It is used for the rank itself and, to know what they await, for its neighbours.
class Holdings {
 public:
  Holdings(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers)
      : topology_(topology), owners_(owners), rank_(rank) {
    for (LocalIndex cell = 0; cell < topology.n_cells(); ++cell) {
      if (owners[cell] == rank) owned.push_back(cell);
    }
    add_layers(n_layers);
  }

  /// The owner of a shared entity: the smallest rank that owns a cell on it.
  Rank owner(const Shared& shared, LocalIndex entity) const {
    Rank smallest = owners_[shared.cells_on[entity].front()];
    for (const auto cell : shared.cells_on[entity]) smallest = std::min(smallest, owners_[cell]);
    return smallest;
  }

  /// The entities of a shared kind on the rank's cells: owned by first touch, then the halo by owner and
  /// global id.
  std::pair<Cells, LocalIndex> entities(const Shared& shared) const {
    Cells mine;
    std::vector<std::pair<Rank, LocalIndex>> others;
    std::unordered_set<LocalIndex> seen;
    const auto collect = [&](const Cells& cells) {
      for (const auto cell : cells) {
        for (const auto entity : shared.on_cell[cell]) {
          if (!seen.insert(entity).second) continue;
          const auto by = owner(shared, entity);
          if (by == rank_)
            mine.push_back(entity);
          else
            others.emplace_back(by, entity);
        }
      }
    };
    collect(owned);
    for (const auto& layer : layers) collect(layer);
    const auto n_owned = static_cast<LocalIndex>(mine.size());
    std::ranges::sort(others);
    for (const auto& [by, entity] : others) mine.push_back(entity);
    return {std::move(mine), n_owned};
  }

  /// Puts the cells without halo neighbours first. @returns how many there are
  LocalIndex inner_first() {
    const std::unordered_set<LocalIndex> halo(layers[0].begin(), layers[0].end());
    const auto is_inner = [&](LocalIndex cell) {
      return std::ranges::none_of(topology_.cells_on_cell[cell],
                                  [&](auto other) { return halo.contains(other); });
    };
    const auto boundary = std::ranges::stable_partition(owned, is_inner);
    return static_cast<LocalIndex>(boundary.begin() - owned.begin());
  }

  /// Whoever may hold something of ours or own something that we hold: an entity that a rank holds lies on a
  /// cell n_layers from its own, and its owner has a cell on the same entity, so one step more by common
  /// entities.
  std::set<Rank> neighbours() const {
    std::unordered_set<LocalIndex> seen(owned.begin(), owned.end());
    std::set<Rank> ranks;
    Cells front = owned;
    for (std::size_t step = 0; step <= layers.size(); ++step) {
      Cells next;
      const auto visit = [&](LocalIndex cell) {
        if (!seen.insert(cell).second) return;
        next.push_back(cell);
        ranks.insert(owners_[cell]);
      };
      for (const auto cell : front) {
        for (const auto other : topology_.cells_on_cell[cell]) visit(other);
        for (const auto& shared : topology_.shared) {
          for (const auto entity : shared.on_cell[cell]) {
            for (const auto other : shared.cells_on[entity]) visit(other);
          }
        }
      }
      front = std::move(next);
    }
    ranks.erase(rank_);
    return ranks;
  }

  Cells owned;
  std::vector<Cells> layers;  ///< each by owner, then global id

 private:
  void add_layers(int n_layers) {
    std::unordered_set<LocalIndex> seen(owned.begin(), owned.end());
    const Cells* previous = &owned;
    for (int l = 0; l < n_layers; ++l) {
      Cells layer;
      for (const auto cell : *previous) {
        for (const auto other : topology_.cells_on_cell[cell]) {
          if (seen.insert(other).second) layer.push_back(other);
        }
      }
      std::ranges::sort(layer, {}, [this](auto cell) { return std::pair(owners_[cell], cell); });
      layers.push_back(std::move(layer));
      previous = &layers.back();
    }
  }

  const Topology& topology_;
  std::span<const Rank> owners_;
  Rank rank_;
};

/// The rank's entities of every kind, as positions in the whole mesh.
struct Parts {
  std::vector<Cells> all;
  std::vector<LocalIndex> n_owned;

  Parts(const Topology& topology, const Holdings& holdings) {
    Cells cells = holdings.owned;
    n_owned.push_back(static_cast<LocalIndex>(cells.size()));
    for (const auto& layer : holdings.layers) cells.insert(cells.end(), layer.begin(), layer.end());
    all.push_back(std::move(cells));
    for (const auto& shared : topology.shared) {
      auto [entities, n] = holdings.entities(shared);
      all.push_back(std::move(entities));
      n_owned.push_back(n);
    }
  }
};

Rank owner_of(const Topology& topology, const Holdings& holdings, std::span<const Rank> owners,
              std::size_t kind, LocalIndex entity) {
  return kind == 0 ? owners[entity] : holdings.owner(topology.shared[kind - 1], entity);
}

}  // namespace

Decomposition decompose(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers) {
  require<ConfigError>(n_layers >= 1, "A halo needs at least 1 layer, not {}.", n_layers);
  require<InternalError>(std::ssize(owners) == topology.n_cells(), "{} owners of {} cells.", owners.size(),
                         topology.n_cells());
  Holdings holdings(topology, owners, rank, n_layers);
  Decomposition result;
  result.n_inner = holdings.inner_first();
  const Parts mine(topology, holdings);
  const auto n_kinds = mine.all.size();

  std::vector<std::unordered_map<LocalIndex, LocalIndex>> local(n_kinds);
  std::map<Rank, schedule::HaloNeighbour> neighbours;
  const auto neighbour = [&](Rank other) -> schedule::HaloNeighbour& {
    auto& entry = neighbours[other];
    entry.rank = other;
    entry.items.resize(n_kinds);
    return entry;
  };
  for (std::size_t kind = 0; kind < n_kinds; ++kind) {
    const auto& all = mine.all[kind];
    result.shares.push_back({{all.begin(), all.end()}, mine.n_owned[kind]});
    for (LocalIndex i = 0; i < std::ssize(all); ++i) {
      if (i < mine.n_owned[kind])
        local[kind].emplace(all[i], i);
      else
        neighbour(owner_of(topology, holdings, owners, kind, all[i])).items[kind].receive.push_back(i);
    }
  }
  for (const auto other : holdings.neighbours()) {
    const Holdings theirs_holdings(topology, owners, other, n_layers);
    const Parts theirs(topology, theirs_holdings);
    for (std::size_t kind = 0; kind < n_kinds; ++kind) {
      for (auto i = theirs.n_owned[kind]; i < std::ssize(theirs.all[kind]); ++i) {
        const auto found = local[kind].find(theirs.all[kind][i]);
        if (found != local[kind].end()) neighbour(other).items[kind].send.push_back(found->second);
      }
    }
  }
  for (auto& [other, entry] : neighbours) result.neighbours.push_back(std::move(entry));

  result.layer_offsets.push_back(mine.n_owned[0]);
  for (const auto& layer : holdings.layers) {
    result.layer_offsets.push_back(result.layer_offsets.back() + static_cast<LocalIndex>(layer.size()));
  }
  return result;
}

}  // namespace halcyon::decomposition
