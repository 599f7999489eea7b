#pragma once

#include <vector>

#include "halcyon/atmosphere/scheme.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/operators/curvature.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

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
  operators::Horizontal<Real> mesh;
  operators::Energy<Real> energy;
  operators::Curvature<Real> curvature;
  Sweeps sweeps;  ///< early where nothing is needed from other ranks
};

/// The tiles of a rank: first those that need nothing from other ranks, then the one that needs least.
/// @param radius of the sphere [m]  @param n_cells that each advances, about
template <class Real>
std::vector<Tile<Real>> tiles(const decomposition::LocalMesh& rank, double radius, const Scheme& scheme,
                              LocalIndex n_cells);

}  // namespace halcyon::atmosphere
