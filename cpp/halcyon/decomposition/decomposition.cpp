#include "halcyon/decomposition/decomposition.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

namespace {

using Cells = std::vector<LocalIndex>;  // positions in the whole mesh

/// What a rank holds of one kind: all, owned first, then each layer, which begins at its offset.
struct Held {
  Cells all;
  std::vector<LocalIndex> offsets;

  LocalIndex n_owned() const { return offsets.front(); }
  std::size_t n_layers() const { return offsets.size() - 1; }
  void add_layer(const Cells& layer) {
    all.insert(all.end(), layer.begin(), layer.end());
    offsets.push_back(static_cast<LocalIndex>(all.size()));
  }
  /// Calls `visit(position, layer)` for the whole halo.
  template <class Visit>
  void each_halo(const Visit& visit) const {
    for (std::size_t l = 0; l < n_layers(); ++l)
      for (auto i = offsets[l]; i < offsets[l + 1]; ++i) visit(i, l);
  }
};

/// Those of a rank, in the order of the mesh.
Cells cells_of(std::span<const Rank> owners, Rank rank) {
  Cells cells;
  for (std::size_t cell = 0; cell < owners.size(); ++cell)
    if (owners[cell] == rank) cells.push_back(static_cast<LocalIndex>(cell));
  return cells;
}

/// Finds what a rank holds. It is used for the rank itself and, to know what they await, for its neighbours.
class Holdings {
 public:
  /// @param cells those of the rank
  Holdings(const Topology& topology, std::span<const Rank> owners, Rank rank, Cells cells, int n_layers)
      : owned(std::move(cells)), topology_(topology), owners_(owners), rank_(rank) {
    add_layers(n_layers);
  }

  /// The owner of a shared entity: the smallest rank that owns a cell on it.
  Rank owner(const Shared& shared, LocalIndex entity) const {
    Rank smallest = owners_[shared.cells_on[entity].front()];
    for (const auto cell : shared.cells_on[entity]) smallest = std::min(smallest, owners_[cell]);
    return smallest;
  }

  /// The rank's cells: owned, then layer after layer.
  Held cells() const {
    Held held{owned, {static_cast<LocalIndex>(owned.size())}};
    for (const auto& layer : layers) held.add_layer(layer);
    return held;
  }

  /// The entities of a shared kind on the rank's cells: owned by first touch, then the halo by layer, owner
  /// and global id.
  Held entities(const Shared& shared) const {
    Held held;
    std::vector<std::vector<std::pair<Rank, LocalIndex>>> others(layers.size());
    std::unordered_set<LocalIndex> seen;
    const auto collect = [&](const Cells& cells, std::size_t layer) {
      for (const auto cell : cells) {
        for (const auto entity : shared.on_cell[cell]) {
          if (!seen.insert(entity).second) continue;
          const auto by = owner(shared, entity);
          if (by == rank_)
            held.all.push_back(entity);
          else
            others[layer].emplace_back(by, entity);
        }
      }
    };
    collect(owned, 0);
    for (std::size_t l = 0; l < layers.size(); ++l) collect(layers[l], l);
    held.offsets = {static_cast<LocalIndex>(held.all.size())};
    for (auto& layer : others) {
      std::ranges::sort(layer);
      const auto entities = std::views::values(layer);
      held.add_layer(Cells(entities.begin(), entities.end()));
    }
    return held;
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

/// What the rank holds of every kind, as positions in the whole mesh.
std::vector<Held> all_kinds(const Topology& topology, const Holdings& holdings) {
  std::vector<Held> kinds{holdings.cells()};
  for (const auto& shared : topology.shared) kinds.push_back(holdings.entities(shared));
  return kinds;
}

Share share_of(const Held& held) {
  return {{held.all.begin(), held.all.end()}, held.n_owned(), held.offsets};
}

Rank owner_of(const Topology& topology, const Holdings& holdings, std::span<const Rank> owners,
              std::size_t kind, LocalIndex entity) {
  return kind == 0 ? owners[entity] : holdings.owner(topology.shared[kind - 1], entity);
}

/// What one cell of a pair of neighbours knew alone, one rank would wait for for ever.
void require_mutual(const Patch& patch, Rank rank) {
  const auto& near = patch.topology.cells_on_cell;
  const auto& ids = patch.to_global.front();
  for (LocalIndex cell = 0; cell < near.size(); ++cell) {
    if (patch.owners[cell] != rank) continue;
    for (const auto other : near[cell]) {
      require<InputError>(std::ranges::find(near[other], cell) != near[other].end(),
                          "Cell {} has the neighbour {}, which does not have it. Make the mesh again.",
                          ids[cell], ids[other]);
    }
  }
}

void require_layers(int n_layers) {
  require<ConfigError>(n_layers >= 1, "A halo needs at least 1 layer, not {}.", n_layers);
}

}  // namespace

Decomposition decompose(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers) {
  require_layers(n_layers);
  require<InternalError>(std::ssize(owners) == topology.n_cells(), "{} owners of {} cells.", owners.size(),
                         topology.n_cells());
  Holdings holdings(topology, owners, rank, cells_of(owners, rank), n_layers);
  Decomposition result;
  result.n_inner = holdings.inner_first();
  const auto mine = all_kinds(topology, holdings);
  const auto n_kinds = mine.size();

  std::vector<std::unordered_map<LocalIndex, LocalIndex>> local(n_kinds);
  std::map<Rank, schedule::HaloNeighbour> neighbours;
  const auto lists = [&](Rank other, std::size_t kind) -> schedule::HaloLists& {
    auto& entry = neighbours[other];
    entry.rank = other;
    entry.items.resize(n_kinds);
    return entry.items[kind];
  };
  for (std::size_t kind = 0; kind < n_kinds; ++kind) {
    const auto& all = mine[kind].all;
    result.shares.push_back(share_of(mine[kind]));
    for (LocalIndex i = 0; i < mine[kind].n_owned(); ++i) local[kind].emplace(all[i], i);
    mine[kind].each_halo([&](LocalIndex i, std::size_t layer) {
      const auto owner = owner_of(topology, holdings, owners, kind, all[i]);
      lists(owner, kind).receive.add(i, layer, n_layers);
    });
  }
  for (const auto other : holdings.neighbours()) {
    const auto theirs =
        all_kinds(topology, Holdings(topology, owners, other, cells_of(owners, other), n_layers));
    for (std::size_t kind = 0; kind < n_kinds; ++kind) {
      theirs[kind].each_halo([&](LocalIndex i, std::size_t layer) {
        const auto found = local[kind].find(theirs[kind].all[i]);
        if (found != local[kind].end()) lists(other, kind).send.add(found->second, layer, n_layers);
      });
    }
  }
  for (auto& [other, entry] : neighbours) result.neighbours.push_back(std::move(entry));
  return result;
}

Decomposition surrounded(const Topology& topology, std::span<const Rank> owners,
                         std::span<const LocalIndex> cells, int n_layers) {
  require_layers(n_layers);
  Holdings holdings(topology, owners, owners[cells.front()], {cells.begin(), cells.end()}, n_layers);
  Decomposition result;
  result.n_inner = holdings.inner_first();
  for (const auto& held : all_kinds(topology, holdings)) result.shares.push_back(share_of(held));
  return result;
}

Decomposition decompose(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                        int n_layers) {
  comm.agree([&] { require_layers(n_layers); });
  check(comm, slice, owners);
  // One step more than there are layers: who else lies on an edge or vertex of the outermost cells owns it.
  const auto patch = gather_patch(comm, slice, owners, n_layers + 1);
  comm.agree([&] { require_mutual(patch, comm.rank()); });
  auto part = decompose(patch.topology, patch.owners, comm.rank(), n_layers);
  for (std::size_t kind = 0; kind < part.shares.size(); ++kind) {
    for (auto& id : part.shares[kind].to_global) id = patch.to_global[kind][id];
  }
  return part;
}

namespace {

using schedule::HaloField;
using schedule::Volume;

/// The cells of each rank, in the mesh's order.
Lists owned_cells(std::span<const Rank> owners, Rank n_ranks) {
  Lists cells;
  cells.offsets.assign(n_ranks + 1, 0);
  for (const auto owner : owners) ++cells.offsets[owner + 1];
  for (Rank rank = 0; rank < n_ranks; ++rank) cells.offsets[rank + 1] += cells.offsets[rank];
  cells.values.resize(owners.size());
  auto next = cells.offsets;
  for (LocalIndex cell = 0; cell < std::ssize(owners); ++cell) cells.values[next[owners[cell]]++] = cell;
  return cells;
}

/// Counts what one rank receives.
class Received {
 public:
  Received(const Topology& topology, std::span<const Rank> owners, Rank rank,
           std::span<const LocalIndex> owned)
      : topology_(topology), owners_(owners), rank_(rank), owned_(owned) {}

  void find_halo(int n_layers) {
    std::unordered_set<LocalIndex> seen;
    std::size_t layer = 0;
    for (int l = 0; l < n_layers; ++l) {
      const auto end = halo_.size();
      const auto grow = [&](LocalIndex cell) {
        for (const auto other : topology_.cells_on_cell[cell]) {
          if (owners_[other] != rank_ && seen.insert(other).second) halo_.push_back(other);
        }
      };
      if (l == 0) std::ranges::for_each(owned_, grow);
      for (auto i = layer; i < end; ++i) grow(halo_[i]);
      layer = end;
      layer_ends_.push_back(halo_.size());
    }
  }

  /// Adds a field's items in the layers that it needs: cells, or what lies on them and on owned cells.
  void add(const HaloField& field) {
    const auto halo = std::span(halo_).first(field.layers ? layer_ends_[field.layers - 1] : halo_.size());
    if (field.entity == 0) {
      for (const auto cell : halo) bytes_from_[owners_[cell]] += field.item_bytes;
      return;
    }
    std::unordered_set<LocalIndex> seen;
    const auto& shared = topology_.shared[field.entity - 1];
    const auto add_on = [&](LocalIndex cell) {
      for (const auto entity : shared.on_cell[cell]) {
        const auto owner = smallest_owner(shared, entity);
        if (owner != rank_ && seen.insert(entity).second) bytes_from_[owner] += field.item_bytes;
      }
    };
    std::ranges::for_each(owned_, add_on);
    std::ranges::for_each(halo, add_on);
  }

  /// One message a neighbour that has anything to send.
  std::vector<Volume> volumes() const {
    std::vector<Volume> row;
    for (const auto& [peer, bytes] : bytes_from_) {
      if (bytes > 0) row.push_back({peer, 1, bytes});
    }
    return row;
  }

 private:
  Rank smallest_owner(const Shared& shared, LocalIndex entity) const {
    Rank smallest = owners_[shared.cells_on[entity].front()];
    for (const auto cell : shared.cells_on[entity]) smallest = std::min(smallest, owners_[cell]);
    return smallest;
  }

  const Topology& topology_;
  std::span<const Rank> owners_;
  Rank rank_;
  std::span<const LocalIndex> owned_;
  std::vector<LocalIndex> halo_;         ///< cells, layer after layer
  std::vector<std::size_t> layer_ends_;  ///< how many lie in the layers up to each
  std::map<Rank, std::int64_t> bytes_from_;
};

void require_valid(const Topology& topology, std::span<const Rank> owners, Rank n_ranks, int n_layers,
                   std::span<const HaloField> fields) {
  require<ConfigError>(n_ranks >= 1, "A decomposition needs at least 1 rank, not {}.", n_ranks);
  require<ConfigError>(n_layers >= 1, "A halo needs at least 1 layer, not {}.", n_layers);
  for (const auto& field : fields) {
    require<ConfigError>(field.layers <= n_layers,
                         "A field needs {} halo layers, but the decomposition has {}.", field.layers,
                         n_layers);
  }
  require<InputError>(std::ssize(owners) == topology.n_cells(),
                      "There are {} owners of {} cells. Give one a cell.", owners.size(), topology.n_cells());
  const auto stray = std::ranges::find_if(owners, [&](Rank owner) { return owner < 0 || owner >= n_ranks; });
  require<InputError>(stray == owners.end(), "Cell {} is owned by rank {}, but the ranks are 0 to {}.",
                      stray - owners.begin(), stray == owners.end() ? kNone : *stray, n_ranks - 1);
}

}  // namespace

schedule::Volumes halo_volumes(const Topology& topology, std::span<const Rank> owners, Rank n_ranks,
                               int n_layers, std::span<const HaloField> fields, int threads) {
  require_valid(topology, owners, n_ranks, n_layers, fields);
  const auto owned = owned_cells(owners, n_ranks);
  const auto row = [&](Rank rank) {
    Received received(topology, owners, rank, owned[rank]);
    received.find_halo(n_layers);
    for (const auto& field : fields) received.add(field);
    return received.volumes();
  };
  return schedule::gathered(n_ranks, row, threads);
}

}  // namespace halcyon::decomposition
