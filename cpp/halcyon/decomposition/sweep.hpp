#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "halcyon/base/runs.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::decomposition {

/// What lies beside the items of a kind in a list of the mesh, kNone where something is missing; without a
/// list each item itself.
class Beside {
 public:
  Beside() = default;
  /// Entries offsets[i] .. offsets[i + 1] are those of item i.
  Beside(std::span<const LocalIndex> offsets, std::span<const LocalIndex> items)
      : offsets_(offsets), items_(items) {}
  template <std::size_t K>
  Beside(const std::vector<std::array<LocalIndex, K>>& items)
      : items_(items.empty() ? nullptr : items.front().data(), K * items.size()), of_each_(K) {}

  /// Valid as long as `item` is.
  std::span<const LocalIndex> operator[](const LocalIndex& item) const {
    if (of_each_ > 0) return items_.subspan(item * of_each_, of_each_);
    if (offsets_.empty()) return {&item, 1};
    return items_.subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

 private:
  std::span<const LocalIndex> offsets_, items_;
  std::size_t of_each_ = 0;
};

/// The items that a sweep computes: those that need nothing from the halo, directly or by what other sweeps
/// gave, and those that wait for it.
struct Sweep {
  Runs early, late;

  const Runs& part(bool is_early) const { return is_early ? early : late; }
};

/// What an item needs: those beside it of another sweep, or of a state, of which some are early.
struct Need {
  Beside beside;
  const Flags& early;

  bool is_early(LocalIndex item) const;
};

/// The sweep of what is wanted: an item is early where all that it needs is. @returns what is early
Flags split(Sweep& sweep, const Flags& wanted, std::initializer_list<Need> needs);

/// Which of a share are owned.
Flags owned(const Share& share);
/// The owned ones and those of some halo layers.
Flags near(const Share& share, std::size_t n_layers = 1);

/// The edges of the first cells of a mesh.
template <class Mesh>
Flags edges_of(const Mesh& mesh, LocalIndex n_cells) {
  Flags found(mesh.n_edges());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) found[mesh.edges_on_cell[j]] = 1;
  return found;
}

/// The vertices of the first edges.
template <class Mesh>
Flags vertices_of(const Mesh& mesh, LocalIndex n_edges) {
  Flags found(mesh.n_vertices());
  for (LocalIndex e = 0; e < n_edges; ++e)
    for (const auto vertex : mesh.vertices_on_edge[e]) found[vertex] = 1;
  return found;
}

}  // namespace halcyon::decomposition
