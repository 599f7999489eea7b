#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::decomposition {

/// Lists of different lengths: those of i are values[offsets[i] .. offsets[i + 1]].
template <class Value>
struct ListsOf {
  std::vector<LocalIndex> offsets{0};
  std::vector<Value> values;

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const Value> operator[](LocalIndex i) const {
    return std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  /// Ends the list that was being added to.
  void close() { offsets.push_back(static_cast<LocalIndex>(values.size())); }
};

using Lists = ListsOf<LocalIndex>;
using GlobalLists = ListsOf<GlobalIndex>;

/// Another kind of entity that cells share: edges or vertices.
struct Shared {
  Lists on_cell;   ///< of a cell, in the mesh's order
  Lists cells_on;  ///< the cells that touch one
};

/// What decomposition needs to know of a mesh: who is whose neighbour, and which edges and vertices cells
/// share. Any mesh will do. The kinds of entity are cells (0), then those of `shared` (of a Voronoi mesh:
/// edges 1, vertices 2).
struct Topology {
  Lists cells_on_cell;  ///< neighbours, without kNone
  std::vector<Shared> shared;

  LocalIndex n_cells() const { return cells_on_cell.size(); }
};

/// The lists `cells_on` that belong to `on_cell`.
Shared share(Lists on_cell, LocalIndex n_shared);

/// The topology of a Voronoi mesh, with its edges and vertices.
Topology topology_of(const mesh::Mesh& mesh);

}  // namespace halcyon::decomposition
