#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// Dissipation of the wind, computed once per step from the state at its start:
///   S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  D = div(u),  L(u) = grad(D) + k x grad(zeta)
/// with nu_2 = diffusion d_e + viscosity, nu_d = divergence_damping d_e, nu_4 = hyperdiffusion d_e^3
/// (Skamarock et al. 2012: coefficients scale with the local spacing; diffusion etc. are options of
/// `Scheme`).
template <class Real>
class Dissipation {
 public:
  /// @param n_items numbers of cells, edges and vertices of the largest tile, or of the rank without tiles
  Dissipation(const Scheme& scheme, int n_levels, std::array<LocalIndex, 3> n_items, LocalIndex n_owned_edges)
      : n_levels_(n_levels),
        nu_2_(static_cast<Real>(scheme.diffusion)),
        viscosity_(static_cast<Real>(scheme.viscosity)),
        nu_d_(static_cast<Real>(scheme.divergence_damping)),
        nu_4_(static_cast<Real>(scheme.hyperdiffusion)) {
    const auto n = static_cast<std::size_t>(n_levels);
    const auto [n_cells, n_edges, n_vertices] = n_items;
    memory_bytes_ = make_zeros(n * n_cells, divergence_, second_divergence_) +
                    make_zeros(n * n_edges, laplacian_) + make_zeros(n * n_vertices, second_curl_) +
                    make_zeros(n * n_owned_edges, tendency_);
  }

  /// Computes S on the inner or on the boundary items of a tile, or of the rank.
  ///   u [m s-1] (edge, level);  zeta [s-1] (vertex, level): work field
  /// @param rank_edges the rank's index of each edge of the tile; empty without tiles
  void compute(const HorizontalMesh<Real>& mesh, const Sweeps& sweeps, bool is_inner, In<Real> u,
               Out<Real> zeta, std::span<const LocalIndex> rank_edges = {}) {
    const auto for_sweep = [&](const Sweep& sweep, Out<Real> result, const auto& value) {
      for_columns<Real, kWideRow<Real>>(sweep.part(is_inner), n_levels_, [&](auto rows, LocalIndex item) {
        rows.put(result, item, value(rows, item));
      });
    };
    for_sweep(sweeps.divergences, divergence_,
              [&](auto rows, LocalIndex i) { return divergence(mesh, rows(u), i); });
    for_sweep(sweeps.vertices, zeta, [&](auto rows, LocalIndex v) { return curl(mesh, rows(u), v); });
    for_sweep(sweeps.laplacians, laplacian_,
              [&](auto rows, LocalIndex e) { return laplacian(mesh, rows(divergence_), rows(zeta), e); });
    for_sweep(sweeps.second_divergences, second_divergence_,
              [&](auto rows, LocalIndex i) { return divergence(mesh, rows(laplacian_), i); });
    for_sweep(sweeps.second_curls, second_curl_,
              [&](auto rows, LocalIndex v) { return curl(mesh, rows(laplacian_), v); });
    for_columns<Real, kWideRow<Real>>(
        sweeps.dissipation.part(is_inner), n_levels_, [&](auto rows, LocalIndex e) {
          const Real d = mesh.spacing[e];
          auto sum = -nu_4_ * d * d * d * laplacian(mesh, rows(second_divergence_), rows(second_curl_), e);
          if (nu_2_ > 0 || viscosity_ > 0 || nu_d_ > 0)
            sum += (nu_2_ * d + viscosity_) * rows(laplacian_)[e] +
                   nu_d_ * d * gradient(mesh, rows(divergence_), e);
          rows.put(tendency_, rank_edge(e, rank_edges), sum);
        });
  }
  /// u_new = u_new + dt S
  ///   dt [s];  u_new [m s-1] (edge of the rank, level)
  void apply(std::span<const IndexRange> edges, Real dt, Out<Real> u_new,
             std::span<const LocalIndex> rank_edges = {}) const {
    const auto visit = [&](LocalIndex e) {
      const auto target = rank_edge(e, rank_edges);
      for_rows<Real>(n_levels_, [&](auto rows) {
        rows.put(u_new, target, rows(u_new)[target] + dt * rows(tendency_)[target]);
      });
    };
    if (rank_edges.empty()) return for_items(edges, visit);
    const auto prepare = [&](LocalIndex e) {
      for (const auto field : {In<Real>(u_new), In<Real>(tendency_)})
        prefetch<Real>(field, rank_edges[e], n_levels_);
    };
    for_items(edges, prepare, visit);
  }
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  static LocalIndex rank_edge(LocalIndex edge, std::span<const LocalIndex> rank_edges) {
    return rank_edges.empty() ? edge : rank_edges[edge];
  }

  int n_levels_;
  Real nu_2_, viscosity_, nu_d_, nu_4_;              ///< diffusion [m s-1], [m2 s-1]; nu_d/d_e, nu_4/d_e^3
  LargeArray<Real> divergence_, second_divergence_;  ///< D [s-1], div(L) [m-2 s-1] (cell, level)
  LargeArray<Real> second_curl_;                     ///< curl(L) [m-2 s-1] (vertex, level)
  LargeArray<Real> laplacian_;                       ///< L [m-1 s-1] (edge, level)
  LargeArray<Real> tendency_;                        ///< S [m s-2] (owned edge of the rank, level)
  std::int64_t memory_bytes_;
};

}  // namespace halcyon::atmosphere
