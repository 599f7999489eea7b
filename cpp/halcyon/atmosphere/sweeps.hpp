#pragma once

#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/decomposition/tiling.hpp"
#include "halcyon/operators/curvature.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

using decomposition::Sweep;

/// Index sets of the sweeps (loops over cells, edges or vertices) of a stage, on a mesh with two halo layers.
/// Each sweep covers everything that later sweeps read: halo values are recomputed, not exchanged.
struct Sweeps {
  /// @param mass, wind flags of the cells and edges that the rank owns, which need no exchange. A tile may
  /// own more edges than these; their winds are not advanced
  Sweeps(const decomposition::LocalMesh& local, const Flags& mass, const Flags& wind);

  Sweep cells, edges;  ///< all cells and edges of the state

  Sweep vertices;      ///< potential vorticity: vertices of owned cells and of the first halo layer
  Sweep fluxes;        ///< mass flux and its potential vorticity: edges of owned and first-layer cells
  Sweep energies;      ///< Bernoulli function and pressure: owned cells and the first halo layer
  Sweep columns;       ///< the owned cells
  Sweep halo_columns;  ///< the cells of the first halo layer
  Sweep continuity;    ///< owned cells
  Sweep momentum;      ///< owned edges
  IndexRanges winds;   ///< owned edges, not split into inner and boundary

  // Advection with upwinded fluxes (kernels/transport.hpp).
  Sweep second_derivatives;  ///< owned cells and the first halo layer
  Sweep advected_fluxes;     ///< edges of owned cells
  Sweep transport;           ///< owned cells

  // Dissipation, computed once per step.
  Sweep divergences;         ///< cells including the second halo layer
  Sweep laplacians;          ///< edges of the cells including the first halo layer
  Sweep second_divergences;  ///< cells including the first halo layer
  Sweep second_curls;        ///< vertices of owned edges
  Sweep dissipation;         ///< owned edges
};

/// Number of halo layers that the sweeps need.
inline constexpr int kHaloLayers = 2;

/// A cache-sized block of neighbouring cells of a rank with two halo layers and its own local indices
/// (decomposition/tiling.hpp). Adjacent tiles and ranks both compute the values on their boundary.
template <class Real>
struct Tile {
  /// @param local the tile  @param rank the rank's decomposition  @param radius of the sphere [m]
  Tile(const decomposition::LocalMesh& local, const decomposition::Decomposition& rank, double radius,
       const Scheme& scheme);

  /// True if the tile needs no data from other ranks.
  bool is_inner() const { return sweeps.cells.boundary.empty() && sweeps.edges.boundary.empty(); }
  /// Approximate memory of index lists and weights.
  std::int64_t memory_bytes() const { return mesh.memory_bytes() + curvature.memory_bytes(); }

  LocalIndex n_cells;                              ///< cells that the tile advances
  std::vector<LocalIndex> cells, edges, vertices;  ///< rank indices
  operators::HorizontalMesh<Real> mesh;
  operators::KineticEnergyWeights<Real> energy;
  operators::Curvature<Real> curvature;
  Sweeps sweeps;  ///< inner items need no data from other ranks
};

/// The tiles of a rank: inner tiles first, then the tile with the most inner edges, then the others.
/// @param radius of the sphere [m]  @param n_cells approximate number of cells per tile
template <class Real>
std::vector<Tile<Real>> tiles(const decomposition::LocalMesh& rank, double radius, const Scheme& scheme,
                              LocalIndex n_cells);

}  // namespace halcyon::atmosphere
