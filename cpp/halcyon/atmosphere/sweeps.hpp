#pragma once

#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/decomposition/tiling.hpp"
#include "halcyon/operators/curvature.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

using decomposition::Sweep;

/// Kinds of mesh items, in the order of the index maps of a decomposition.
enum ItemKind { kCells, kEdges, kVertices };

/// Index sets of the sweeps (loops over cells, edges or vertices) of a Runge-Kutta stage, on a mesh with two
/// halo layers. Each sweep covers all items that later sweeps read; values in the halo are recomputed.
struct Sweeps {
  /// @param mass flags of the cells that the rank owns: their masses need no exchange
  /// @param wind flags of the edges that the rank owns; only their winds are advanced
  /// @param is_dissipated whether columns and momentum read dissipation and heating
  Sweeps(const decomposition::LocalMesh& local, const Flags& mass, const Flags& wind, bool is_dissipated);

  Sweep cells, edges;  ///< all cells and edges of the state

  Sweep vertices;      ///< potential vorticity: vertices of owned cells and of the first halo layer
  Sweep fluxes;        ///< mass flux and its potential vorticity: edges of owned and first-layer cells
  Sweep energies;      ///< Bernoulli function and pressure: owned cells and the first halo layer
  Sweep columns;       ///< vertical recurrences: owned cells
  Sweep halo_columns;  ///< vertical recurrences: first halo layer
  Sweep continuity;    ///< new layer thickness: owned cells
  Sweep momentum;      ///< new wind: owned edges
  IndexRanges winds;   ///< owned edges, not split into inner and boundary

  // Advection with upwinded fluxes (kernels/transport.hpp).
  Sweep second_derivatives;  ///< owned cells and the first halo layer
  Sweep advected_fluxes;     ///< edges of owned cells
  Sweep transport;           ///< divergence of the advected fluxes: owned cells

  // Dissipation, computed once per step.
  Sweep divergences;            ///< cells including the second halo layer
  Sweep divergence_laplacians;  ///< cells including the first halo layer
  Sweep vorticity_laplacians;   ///< vertices of owned cells
  Sweep dissipation;            ///< edges of owned cells
  Sweep heating;                ///< owned cells
};

/// Number of halo layers that the sweeps need.
inline constexpr int kHaloLayers = 2;

/// A cache-sized block of neighbouring cells of a rank, with two halo layers and with local indices of its
/// own (decomposition/tiling.hpp). Values on the boundary of two tiles or ranks are computed by both.
template <class Real>
struct Tile {
  /// @param local mesh of the tile  @param rank the rank's decomposition  @param radius of the sphere [m]
  Tile(const decomposition::LocalMesh& local, const decomposition::Decomposition& rank, double radius,
       const Scheme& scheme);

  /// True if the tile needs no data from other ranks.
  bool is_inner() const { return sweeps.cells.boundary.empty() && sweeps.edges.boundary.empty(); }
  std::int64_t memory_bytes() const { return mesh.memory_bytes() + curvature.memory_bytes(); }

  LocalIndex n_cells;                              ///< cells that the tile advances
  std::vector<LocalIndex> cells, edges, vertices;  ///< rank indices of the tile's items
  operators::HorizontalMesh<Real> mesh;
  operators::KineticEnergyWeights<Real> energy;
  operators::Curvature<Real> curvature;
  Sweeps sweeps;  ///< inner items need no data from other ranks
};

/// Makes the tiles of a rank: inner tiles, then boundary tiles. The first boundary tile is the one with the
/// most inner edges, to be computed during the halo exchange.
/// @param radius of the sphere [m]  @param n_cells approximate number of cells per tile
template <class Real>
std::vector<Tile<Real>> make_tiles(const decomposition::LocalMesh& rank, double radius, const Scheme& scheme,
                                   LocalIndex n_cells);

}  // namespace halcyon::atmosphere
