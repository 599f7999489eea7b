#pragma once

#include <initializer_list>

#include "halcyon/base/runs.hpp"
#include "halcyon/decomposition/beside.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::decomposition {

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
