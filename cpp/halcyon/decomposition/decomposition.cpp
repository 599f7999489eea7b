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

using MeshIndices = std::vector<LocalIndex>;  // indices of cells, edges or vertices in the whole mesh

/// The entities of one kind on a rank, in local order.
struct LocalEntities {
  MeshIndices all;                  ///< owned entities, then the halo by layer
  std::vector<LocalIndex> offsets;  ///< index in `all` of the first entity of each halo layer, then the size

  LocalIndex n_owned() const { return offsets.front(); }
  std::size_t n_layers() const { return offsets.size() - 1; }
  void add_layer(const MeshIndices& layer) {
    all.insert(all.end(), layer.begin(), layer.end());
    offsets.push_back(static_cast<LocalIndex>(all.size()));
  }
  /// Calls visit(local index, layer) for all halo entities; the first layer is 0.
  template <class Visit>
  void for_each_halo(const Visit& visit) const {
    for (std::size_t l = 0; l < n_layers(); ++l)
      for (auto i = offsets[l]; i < offsets[l + 1]; ++i) visit(i, l);
  }
};

/// The cells of a rank, in the order of the mesh.
MeshIndices cells_of(std::span<const Rank> owners, Rank rank) {
  MeshIndices cells;
  for (std::size_t cell = 0; cell < owners.size(); ++cell)
    if (owners[cell] == rank) cells.push_back(static_cast<LocalIndex>(cell));
  return cells;
}

/// The owned and halo entities of one rank: the rank whose part is computed, or a neighbour of this rank, to
/// find the entities that must be sent to the neighbour.
class LocalRegion {
 public:
  /// @param cells owned by the rank
  LocalRegion(const Topology& topology, std::span<const Rank> owners, Rank rank, MeshIndices cells,
              int n_layers)
      : owned(std::move(cells)), topology_(topology), owners_(owners), rank_(rank) {
    add_layers(n_layers);
  }

  /// The owner of a shared entity: the lowest rank that owns a cell on it.
  Rank owner(const SharedEntities& shared, LocalIndex entity) const {
    Rank smallest = owners_[shared.cells_on[entity].front()];
    for (const auto cell : shared.cells_on[entity]) smallest = std::min(smallest, owners_[cell]);
    return smallest;
  }

  /// The cells of the rank: owned, then the halo by layer.
  LocalEntities cells() const {
    LocalEntities entities{owned, {static_cast<LocalIndex>(owned.size())}};
    for (const auto& layer : layers) entities.add_layer(layer);
    return entities;
  }

  /// The entities of a shared kind on the cells of the rank: owned entities in the order in which the cells
  /// first contain them, then the halo by layer, owner and global id.
  LocalEntities entities(const SharedEntities& shared) const {
    LocalEntities entities;
    std::vector<std::vector<std::pair<Rank, LocalIndex>>> halo_layers(layers.size());
    std::unordered_set<LocalIndex> seen;
    const auto collect = [&](const MeshIndices& cells, std::size_t layer) {
      for (const auto cell : cells) {
        for (const auto entity : shared.on_cell[cell]) {
          if (!seen.insert(entity).second) continue;
          const auto entity_owner = owner(shared, entity);
          if (entity_owner == rank_)
            entities.all.push_back(entity);
          else
            halo_layers[layer].emplace_back(entity_owner, entity);
        }
      }
    };
    collect(owned, 0);
    for (std::size_t l = 0; l < layers.size(); ++l) collect(layers[l], l);
    entities.offsets = {static_cast<LocalIndex>(entities.all.size())};
    for (auto& layer : halo_layers) {
      std::ranges::sort(layer);
      const auto indices = std::views::values(layer);
      entities.add_layer(MeshIndices(indices.begin(), indices.end()));
    }
    return entities;
  }

  /// Moves the inner cells to the front. @returns their number
  LocalIndex move_inner_first() {
    const std::unordered_set<LocalIndex> halo(layers[0].begin(), layers[0].end());
    const auto is_inner = [&](LocalIndex cell) {
      return std::ranges::none_of(topology_.cells_on_cell[cell],
                                  [&](auto other) { return halo.contains(other); });
    };
    const auto boundary = std::ranges::stable_partition(owned, is_inner);
    return static_cast<LocalIndex>(boundary.begin() - owned.begin());
  }

  /// The ranks with which this rank may exchange data, and possibly more: a halo entity is on a cell at most
  /// n_layers steps from an owned cell, and its owner owns a cell on the entity, at most one step further.
  std::set<Rank> neighbours() const {
    std::unordered_set<LocalIndex> seen(owned.begin(), owned.end());
    std::set<Rank> ranks;
    MeshIndices front = owned;
    for (std::size_t step = 0; step <= layers.size(); ++step) {
      MeshIndices next_front;
      const auto visit = [&](LocalIndex cell) {
        if (!seen.insert(cell).second) return;
        next_front.push_back(cell);
        ranks.insert(owners_[cell]);
      };
      for (const auto cell : front) {
        for (const auto other : topology_.cells_on_cell[cell]) visit(other);
        for (const auto& shared : topology_.shared)
          for (const auto entity : shared.on_cell[cell])
            for (const auto other : shared.cells_on[entity]) visit(other);
      }
      front = std::move(next_front);
    }
    ranks.erase(rank_);
    return ranks;
  }

  MeshIndices owned;  ///< cells, in the order of the mesh; after move_inner_first, inner cells first
  std::vector<MeshIndices> layers;  ///< halo cells, each layer sorted by owner, then global id

 private:
  void add_layers(int n_layers) {
    std::unordered_set<LocalIndex> seen(owned.begin(), owned.end());
    const MeshIndices* previous = &owned;
    for (int l = 0; l < n_layers; ++l) {
      MeshIndices layer;
      for (const auto cell : *previous)
        for (const auto other : topology_.cells_on_cell[cell])
          if (seen.insert(other).second) layer.push_back(other);
      std::ranges::sort(layer, {}, [this](auto cell) { return std::pair(owners_[cell], cell); });
      layers.push_back(std::move(layer));
      previous = &layers.back();
    }
  }

  const Topology& topology_;
  std::span<const Rank> owners_;
  Rank rank_;
};

/// The entities of each kind on the rank, as indices in the whole mesh.
std::vector<LocalEntities> local_entities(const Topology& topology, const LocalRegion& region) {
  std::vector<LocalEntities> kinds{region.cells()};
  for (const auto& shared : topology.shared) kinds.push_back(region.entities(shared));
  return kinds;
}

IndexMap index_map_of(const LocalEntities& entities) {
  const std::vector<GlobalIndex> to_global(entities.all.begin(), entities.all.end());
  return {to_global, entities.n_owned(), entities.offsets};
}

Rank owner_of(const Topology& topology, const LocalRegion& region, std::span<const Rank> owners,
              std::size_t kind, LocalIndex entity) {
  return kind == 0 ? owners[entity] : region.owner(topology.shared[kind - 1], entity);
}

/// Checks that the neighbour relation of cells is symmetric: otherwise a rank would wait for a message that
/// is never sent.
void require_mutual(const Patch& patch, Rank rank) {
  const auto& cells_on_cell = patch.topology.cells_on_cell;
  const auto& ids = patch.to_global.front();
  for (LocalIndex cell = 0; cell < cells_on_cell.size(); ++cell) {
    if (patch.owners[cell] != rank) continue;
    for (const auto other : cells_on_cell[cell])
      require<InputError>(std::ranges::find(cells_on_cell[other], cell) != cells_on_cell[other].end(),
                          "Cell {} has the neighbour {}, but not vice versa. Make the mesh again.", ids[cell],
                          ids[other]);
  }
}

void require_layers(int n_layers) {
  require<ConfigError>(n_layers >= 1, "A halo needs at least 1 layer, not {}.", n_layers);
}

}  // namespace

Decomposition decompose(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers) {
  require_layers(n_layers);
  require<InternalError>(std::ssize(owners) == topology.n_cells(), "There are {} owners of {} cells.",
                         owners.size(), topology.n_cells());
  LocalRegion region(topology, owners, rank, cells_of(owners, rank), n_layers);
  Decomposition result;
  result.n_inner = region.move_inner_first();
  const auto entities = local_entities(topology, region);
  const auto n_kinds = entities.size();

  std::vector<std::unordered_map<LocalIndex, LocalIndex>> to_local(n_kinds);
  std::map<Rank, schedule::HaloNeighbour> neighbours;
  const auto lists_of = [&](Rank other, std::size_t kind) -> schedule::HaloLists& {
    auto& neighbour = neighbours[other];
    neighbour.rank = other;
    neighbour.items.resize(n_kinds);
    return neighbour.items[kind];
  };
  for (std::size_t kind = 0; kind < n_kinds; ++kind) {
    const auto& all = entities[kind].all;
    result.index_maps.push_back(index_map_of(entities[kind]));
    for (LocalIndex i = 0; i < entities[kind].n_owned(); ++i) to_local[kind].emplace(all[i], i);
    entities[kind].for_each_halo([&](LocalIndex i, std::size_t layer) {
      const auto owner = owner_of(topology, region, owners, kind, all[i]);
      lists_of(owner, kind).receive.add(i, layer, n_layers);
    });
  }
  for (const auto other : region.neighbours()) {
    const auto other_entities =
        local_entities(topology, LocalRegion(topology, owners, other, cells_of(owners, other), n_layers));
    for (std::size_t kind = 0; kind < n_kinds; ++kind) {
      other_entities[kind].for_each_halo([&](LocalIndex i, std::size_t layer) {
        const auto found = to_local[kind].find(other_entities[kind].all[i]);
        if (found != to_local[kind].end()) lists_of(other, kind).send.add(found->second, layer, n_layers);
      });
    }
  }
  for (auto& [other, neighbour] : neighbours) result.neighbours.push_back(std::move(neighbour));
  return result;
}

Decomposition decompose_cells(const Topology& topology, std::span<const Rank> owners,
                              std::span<const LocalIndex> cells, int n_layers) {
  require_layers(n_layers);
  LocalRegion region(topology, owners, owners[cells.front()], {cells.begin(), cells.end()}, n_layers);
  Decomposition result;
  result.n_inner = region.move_inner_first();
  for (const auto& entities : local_entities(topology, region))
    result.index_maps.push_back(index_map_of(entities));
  return result;
}

Decomposition decompose(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                        int n_layers) {
  comm.agree([&] { require_layers(n_layers); });
  check(comm, slice, owners);
  // One more step than halo layers, to find the owners of the edges and vertices of the outermost cells.
  const auto patch = gather_patch(comm, slice, owners, n_layers + 1);
  comm.agree([&] { require_mutual(patch, comm.rank()); });
  auto part = decompose(patch.topology, patch.owners, comm.rank(), n_layers);
  for (std::size_t kind = 0; kind < part.index_maps.size(); ++kind)
    for (auto& id : part.index_maps[kind].to_global) id = patch.to_global[kind][id];
  return part;
}

namespace {

using schedule::HaloField;
using schedule::Volume;

/// The cells of each rank, in the order of the mesh.
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

/// Counts the bytes that one rank receives in a halo exchange.
class HaloCounter {
 public:
  HaloCounter(const Topology& topology, std::span<const Rank> owners, Rank rank,
              std::span<const LocalIndex> owned)
      : topology_(topology), owners_(owners), rank_(rank), owned_(owned) {}

  void find_halo(int n_layers) {
    std::unordered_set<LocalIndex> seen;
    std::size_t begin = 0;  // of the previous layer, in halo_
    for (int l = 0; l < n_layers; ++l) {
      const auto end = halo_.size();
      const auto add_neighbours = [&](LocalIndex cell) {
        for (const auto other : topology_.cells_on_cell[cell])
          if (owners_[other] != rank_ && seen.insert(other).second) halo_.push_back(other);
      };
      if (l == 0) std::ranges::for_each(owned_, add_neighbours);
      for (auto i = begin; i < end; ++i) add_neighbours(halo_[i]);
      begin = end;
      layer_ends_.push_back(halo_.size());
    }
  }

  /// Adds the bytes of a field. A field on cells is received on the halo cells in the layers that it needs. A
  /// field on edges or vertices is received on the entities of these and the owned cells that others own.
  void add_field(const HaloField& field) {
    const auto halo = std::span(halo_).first(field.layers > 0 ? layer_ends_[field.layers - 1] : halo_.size());
    if (field.entity == 0) {
      for (const auto cell : halo) bytes_from_[owners_[cell]] += field.item_bytes;
      return;
    }
    std::unordered_set<LocalIndex> seen;
    const auto& shared = topology_.shared[field.entity - 1];
    const auto add_entities_on = [&](LocalIndex cell) {
      for (const auto entity : shared.on_cell[cell]) {
        const auto owner = smallest_owner(shared, entity);
        if (owner != rank_ && seen.insert(entity).second) bytes_from_[owner] += field.item_bytes;
      }
    };
    std::ranges::for_each(owned_, add_entities_on);
    std::ranges::for_each(halo, add_entities_on);
  }

  /// One message per neighbour that sends data.
  std::vector<Volume> volumes() const {
    std::vector<Volume> received;
    for (const auto& [peer, bytes] : bytes_from_)
      if (bytes > 0) received.push_back({peer, 1, bytes});
    return received;
  }

 private:
  Rank smallest_owner(const SharedEntities& shared, LocalIndex entity) const {
    Rank smallest = owners_[shared.cells_on[entity].front()];
    for (const auto cell : shared.cells_on[entity]) smallest = std::min(smallest, owners_[cell]);
    return smallest;
  }

  const Topology& topology_;
  std::span<const Rank> owners_;
  Rank rank_;
  std::span<const LocalIndex> owned_;
  std::vector<LocalIndex> halo_;             ///< cells, by layer
  std::vector<std::size_t> layer_ends_;      ///< end offset of each layer in halo_
  std::map<Rank, std::int64_t> bytes_from_;  ///< received bytes per sender
};

void require_valid(const Topology& topology, std::span<const Rank> owners, Rank n_ranks, int n_layers,
                   std::span<const HaloField> fields) {
  require<ConfigError>(n_ranks >= 1, "A decomposition needs at least 1 rank, not {}.", n_ranks);
  require<ConfigError>(n_layers >= 1, "A halo needs at least 1 layer, not {}.", n_layers);
  for (const auto& field : fields)
    require<ConfigError>(field.layers <= n_layers,
                         "A field needs {} halo layers, but the decomposition has {}.", field.layers,
                         n_layers);
  require<InputError>(std::ssize(owners) == topology.n_cells(),
                      "There are {} owners of {} cells. Give one per cell.", owners.size(),
                      topology.n_cells());
  const auto invalid =
      std::ranges::find_if(owners, [&](Rank owner) { return owner < 0 || owner >= n_ranks; });
  require<InputError>(invalid == owners.end(), "Cell {} is owned by rank {}, but the ranks are 0 to {}.",
                      invalid - owners.begin(), invalid == owners.end() ? kNone : *invalid, n_ranks - 1);
}

}  // namespace

schedule::Volumes halo_volumes(const Topology& topology, std::span<const Rank> owners, Rank n_ranks,
                               int n_layers, std::span<const HaloField> fields, int threads) {
  require_valid(topology, owners, n_ranks, n_layers, fields);
  const auto owned = owned_cells(owners, n_ranks);
  const auto volumes_of_rank = [&](Rank rank) {
    HaloCounter counter(topology, owners, rank, owned[rank]);
    counter.find_halo(n_layers);
    for (const auto& field : fields) counter.add_field(field);
    return counter.volumes();
  };
  return schedule::assemble_volumes(n_ranks, volumes_of_rank, threads);
}

}  // namespace halcyon::decomposition
