#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// What dissipates the wind, found once a step from its first state:
///   S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  D = div(u),  L(u) = grad(D) + k x grad(zeta)
/// with nu_2 = diffusion d_e, nu_d = divergence_damping d_e, nu_4 = hyperdiffusion d_e^3 (Skamarock et al.
/// 2012: coefficients by the local spacing).
template <class Real>
class Dissipation {
 public:
  /// @param n_items cells, edges and vertices: the most of a tile, or those of a rank that is not cut
  /// @param n_winds edges that the rank owns
  Dissipation(const Scheme& scheme, int n_levels, std::array<LocalIndex, 3> n_items, LocalIndex n_winds)
      : n_levels_(n_levels),
        nu_2_(static_cast<Real>(scheme.diffusion)),
        nu_d_(static_cast<Real>(scheme.divergence_damping)),
        nu_4_(static_cast<Real>(scheme.hyperdiffusion)) {
    const auto n = static_cast<std::size_t>(n_levels);
    const auto [n_cells, n_edges, n_vertices] = n_items;
    memory_bytes_ = make_zeros(n * n_cells, divergence_, second_divergence_) +
                    make_zeros(n * n_edges, laplacian_) + make_zeros(n * n_vertices, second_curl_) +
                    make_zeros(n * n_winds, tendency_);
  }

  /// S by its sweeps, early or late, of a tile or a rank. What they hand on stays until the next tile.
  ///   u [m s-1] (edge, level);  zeta [s-1] (vertex, level)
  /// @param places the rank's numbers of the edges; without any each has its own
  void find(const HorizontalMesh<Real>& mesh, const Sweeps& sweeps, bool is_early, In<Real> u, In<Real> zeta,
            std::span<const LocalIndex> places = {}) {
    const auto compute = [&](const Sweep& sweep, Out<Real> found, const auto& value) {
      for_columns<Real>(sweep.part(is_early), n_levels_,
                        [&](auto rows, LocalIndex item) { rows.put(found, item, value(rows, item)); });
    };
    compute(sweeps.divergences, divergence_,
            [&](auto rows, LocalIndex i) { return divergence(mesh, rows(u), i); });
    compute(sweeps.laplacians, laplacian_,
            [&](auto rows, LocalIndex e) { return laplacian(mesh, rows(divergence_), rows(zeta), e); });
    compute(sweeps.second_divergences, second_divergence_,
            [&](auto rows, LocalIndex i) { return divergence(mesh, rows(laplacian_), i); });
    compute(sweeps.second_curls, second_curl_,
            [&](auto rows, LocalIndex v) { return curl(mesh, rows(laplacian_), v); });
    for_columns<Real>(sweeps.dissipation.part(is_early), n_levels_, [&](auto rows, LocalIndex e) {
      const Real d = mesh.spacing[e];
      auto sum = nu_2_ * d * rows(laplacian_)[e] + nu_d_ * d * gradient(mesh, rows(divergence_), e);
      sum -= nu_4_ * d * d * d * laplacian(mesh, rows(second_divergence_), rows(second_curl_), e);
      rows.put(tendency_, place_of(e, places), sum);
    });
  }
  /// u_new = u_new + dt S
  ///   dt [s];  u_new [m s-1] (edge of the rank, level)
  void add(std::span<const Run> edges, Real dt, Out<Real> u_new,
           std::span<const LocalIndex> places = {}) const {
    const auto visit = [&](LocalIndex e) {
      const auto place = place_of(e, places);
      for_rows<Real>(n_levels_, [&](auto rows) {
        rows.put(u_new, place, rows(u_new)[place] + dt * rows(tendency_)[place]);
      });
    };
    if (places.empty()) return for_items(edges, visit);
    const auto prepare = [&](LocalIndex e) {
      for (const auto field : {In<Real>(u_new), In<Real>(tendency_)})
        fetch<Real>(field, places[e], n_levels_);
    };
    for_items(edges, prepare, visit);
  }
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  static LocalIndex place_of(LocalIndex edge, std::span<const LocalIndex> places) {
    return places.empty() ? edge : places[edge];
  }

  int n_levels_;
  Real nu_2_, nu_d_, nu_4_;                     ///< of d_e = 1, see above
  Large<Real> divergence_, second_divergence_;  ///< D [s-1], div(L) [m-2 s-1] (cell, level)
  Large<Real> second_curl_;                     ///< curl(L) [m-2 s-1] (vertex, level)
  Large<Real> laplacian_;                       ///< L [m-1 s-1] (edge, level)
  Large<Real> tendency_;                        ///< S [m s-2] (owned edge of the rank, level)
  std::int64_t memory_bytes_;
};

}  // namespace halcyon::atmosphere
