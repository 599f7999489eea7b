#pragma once

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/decomposition/tiling.hpp"

namespace halcyon::atmosphere {

using decomposition::Sweep;

/// The sweeps of a stage of a horizontal core on a mesh with two halo layers, each with all that later ones
/// read; what ranks compute twice never travels.
struct Sweeps {
  /// @param mass, wind which cells and edges need no exchange: the rank has them. Of other edges that are
  /// owned, as those of a tile may be, winds are not advanced
  Sweeps(const decomposition::LocalMesh& local, const Flags& mass, const Flags& wind);

  Sweep cells, edges;  ///< of the state: all

  Sweep vertices;    ///< vorticity: on the cells up to the first halo layer
  Sweep fluxes;      ///< mass flux and the vorticity that it carries: edges of the same cells
  Sweep energies;    ///< what winds are accelerated along: the same cells
  Sweep columns;     ///< the owned ones of them
  Sweep rim;         ///< the others
  Sweep continuity;  ///< owned cells
  Sweep momentum;    ///< owned edges
  Runs winds;        ///< the same, early or late

  // Of what is carried by upwinded fluxes (kernels/transport.hpp).
  Sweep second_derivatives;  ///< the cells up to the first halo layer
  Sweep carried;             ///< edges of owned cells
  Sweep transport;           ///< owned cells

  // Of dissipation, which is computed once a step.
  Sweep divergences;         ///< cells up to the second halo layer
  Sweep laplacians;          ///< edges of the cells up to the first halo layer
  Sweep second_divergences;  ///< cells up to the first halo layer
  Sweep second_curls;        ///< vertices of owned edges
  Sweep dissipation;         ///< owned edges
};

/// How many halo layers these sweeps need.
inline constexpr int kHaloLayers = 2;

}  // namespace halcyon::atmosphere
