#include "halcyon/decomposition/volumes.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "halcyon/base/error.hpp"

namespace halcyon::decomposition {

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
