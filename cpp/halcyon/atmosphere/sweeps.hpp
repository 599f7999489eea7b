#pragma once

#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/decomposition/tiling.hpp"
#include "halcyon/operators/curvature.hpp"
#include "halcyon/operators/horizontal.hpp"

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

/// Some neighbouring cells of a rank with two layers around them, in a numbering of their own
/// (decomposition/tiling.hpp). What lies on the rims of two tiles both compute, as ranks do.
template <class Real>
struct Tile {
  /// @param local this tile  @param rank the part that was cut  @param radius of the sphere [m]
  Tile(const decomposition::LocalMesh& local, const decomposition::Decomposition& rank, double radius,
       const Scheme& scheme);

  /// Whether it needs nothing from other ranks.
  bool is_inner() const { return sweeps.cells.late.empty() && sweeps.edges.late.empty(); }
  /// What lists and weights take, about.
  std::int64_t memory_bytes() const { return mesh.memory_bytes() + curvature.memory_bytes(); }

  LocalIndex n_cells;                              ///< that are advanced
  std::vector<LocalIndex> cells, edges, vertices;  ///< the rank's numbers of them
  operators::HorizontalMesh<Real> mesh;
  operators::KineticEnergyWeights<Real> energy;
  operators::Curvature<Real> curvature;
  Sweeps sweeps;  ///< early where nothing is needed from other ranks
};

/// The tiles of a rank: first those that need nothing from other ranks, then the one that needs least.
/// @param radius of the sphere [m]  @param n_cells that each advances, about
template <class Real>
std::vector<Tile<Real>> tiles(const decomposition::LocalMesh& rank, double radius, const Scheme& scheme,
                              LocalIndex n_cells);

}  // namespace halcyon::atmosphere
