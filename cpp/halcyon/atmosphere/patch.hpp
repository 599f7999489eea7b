#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "halcyon/atmosphere/dissipation.hpp"
#include "halcyon/atmosphere/energy.hpp"
#include "halcyon/atmosphere/upwind.hpp"

namespace halcyon::atmosphere {

/// Some neighbouring cells of a rank with two layers around them, in a numbering of their own. Where one
/// patch after the other is computed whole, what its sweeps hand on stays in the cache. What lies on the rims
/// of two patches both compute, as ranks do.
template <class Real>
struct Patch {
  /// @param local this patch, as of a rank's mesh that was cut like a whole one
  /// @param rank the part that was cut
  Patch(const decomposition::LocalMesh& local, const decomposition::Decomposition& rank, const Planet& planet,
        const Scheme& scheme, int n_levels);

  /// What lists, weights and dissipation take, about.
  /// Whether it needs nothing from other ranks.
  bool is_inner() const { return sweeps.cells.late.empty() && sweeps.edges.late.empty(); }
  std::int64_t memory_bytes() const;

  LocalIndex n_cells;                              ///< that are advanced
  std::vector<LocalIndex> cells, edges, vertices;  ///< the rank's numbers of them
  Horizontal<Real> mesh;
  Energy<Real> energy;
  Curvature<Real> curvature;
  Sweeps sweeps;                                 ///< early where nothing is needed from other ranks
  std::optional<Dissipation<Real>> dissipation;  ///< where there is any
};

/// The patches of a rank: first those that need nothing from other ranks, then the one that needs least.
/// @param n_cells that each advances, about
template <class Real>
std::vector<Patch<Real>> patches(const decomposition::LocalMesh& rank, const Planet& planet,
                                 const Scheme& scheme, int n_levels, LocalIndex n_cells);

/// Copies columns of a field of the rank to a patch, from the places where its items stand there.
template <class Real>
void take(std::span<const Run> items, std::span<const LocalIndex> places, int n_levels, In<Real> of_rank,
          std::span<Real> of_patch) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_rank, places[i], n_levels), column(of_patch, i, n_levels).begin());
  });
}

/// The same back.
template <class Real>
void give(std::span<const Run> items, std::span<const LocalIndex> places, int n_levels, In<Real> of_patch,
          std::span<Real> of_rank) {
  for_items(items, [&](LocalIndex i) {
    std::ranges::copy(column(of_patch, i, n_levels), column(of_rank, places[i], n_levels).begin());
  });
}

}  // namespace halcyon::atmosphere
