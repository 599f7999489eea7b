#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// Dissipation of the wind, computed once per step from the state of the last stage:
///   S_e = nu_2 L(u) + nu_d grad(D) - nu_4 L(L(u)),  D = div(u),  L(u) = grad(D) + k x grad(zeta)
/// with nu_2 = diffusion d_e + viscosity, nu_d = divergence_damping d_e, nu_4 = hyperdiffusion d_e^3
/// (Skamarock et al. 2012: coefficients scale with the local spacing; diffusion etc. are options of
/// `Scheme`). The divergence of L is the Laplacian of D, and the curl of L that of zeta: of a gradient the
/// discrete curl is zero, of k x grad the divergence.
///
/// The kinetic energy that S takes, without that of `viscosity`, heats the two cells of an edge:
///   h_i = -(1/A_i) sum_e (l_e d_e / 2) u_e S_e
/// so that sum_i A_i m_i h_i is the rate of decrease of sum_i A_i m_i K_i, for any masses m.
template <class Real>
class Dissipation {
 public:
  /// @param n_items numbers of cells, edges and vertices of the largest tile, or of the rank without tiles
  Dissipation(const Scheme& scheme, int n_levels, std::array<LocalIndex, 3> n_items, bool heats)
      : n_levels_(n_levels),
        nu_2_(static_cast<Real>(scheme.diffusion)),
        viscosity_(static_cast<Real>(scheme.viscosity)),
        nu_d_(static_cast<Real>(scheme.divergence_damping)),
        nu_4_(static_cast<Real>(scheme.hyperdiffusion)) {
    const auto n = static_cast<std::size_t>(n_levels);
    const auto [n_cells, n_edges, n_vertices] = n_items;
    memory_bytes_ = make_zeros(n * n_cells, divergence_, divergence_laplacian_) +
                    make_zeros(n * n_vertices, vorticity_, vorticity_laplacian_) +
                    make_zeros(n * n_edges, tendency_);
    if (heats) memory_bytes_ += make_zeros(n * n_edges, work_) + make_zeros(n * n_cells, heating_);
  }

  /// Computes S and h on the inner or on the boundary items of a tile, or of the rank.
  ///   u [m s-1] (edge, level)
  void compute(const HorizontalMesh<Real>& mesh, const Sweeps& sweeps, bool is_inner, In<Real> u) {
    const auto for_sweep = [&](const Sweep& sweep, const auto& compute_row) {
      for_columns<Real, kWideRow<Real>>(sweep.part(is_inner), n_levels_, compute_row);
    };
    for_sweep(sweeps.divergences,
              [&](auto rows, LocalIndex i) { rows.put(divergence_, i, divergence(mesh, rows(u), i)); });
    for_sweep(sweeps.vertices,
              [&](auto rows, LocalIndex v) { rows.put(vorticity_, v, curl(mesh, rows(u), v)); });
    for_sweep(sweeps.divergence_laplacians, [&](auto rows, LocalIndex i) {
      rows.put(divergence_laplacian_, i, laplacian(mesh, rows(divergence_), i));
    });
    for_sweep(sweeps.vorticity_laplacians, [&](auto rows, LocalIndex v) {
      rows.put(vorticity_laplacian_, v, vertex_laplacian(mesh, rows(vorticity_), v));
    });
    for_sweep(sweeps.dissipation, [&](auto rows, LocalIndex e) {
      const Real d = mesh.spacing[e];
      auto sum = -nu_4_ * d * d * d *
                 vector_laplacian(mesh, rows(divergence_laplacian_), rows(vorticity_laplacian_), e);
      if (nu_2_ > 0 || nu_d_ > 0)
        sum += nu_2_ * d * vector_laplacian(mesh, rows(divergence_), rows(vorticity_), e) +
               nu_d_ * d * gradient(mesh, rows(divergence_), e);
      if (!work_.empty()) rows.put(work_, e, rows(u)[e] * sum);
      if (viscosity_ > 0) sum += viscosity_ * vector_laplacian(mesh, rows(divergence_), rows(vorticity_), e);
      rows.put(tendency_, e, sum);
    });
    if (work_.empty()) return;
    for_sweep(sweeps.heating, [&](auto rows, LocalIndex i) {
      auto sum = rows(work_)[0] * Real(0);
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
        sum += mesh.energy_share[j] * rows(work_)[mesh.edges_on_cell[j]];
      rows.put(heating_, i, Real(-2) * sum);
    });
  }
  std::span<Real> tendency() { return tendency_; }  ///< S [m s-2] (edge of an owned cell, level)
  std::span<Real> heating() { return heating_; }    ///< h [m2 s-3] (owned cell, level); may be empty
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  int n_levels_;
  Real nu_2_, viscosity_, nu_d_, nu_4_;                 ///< diffusion [m s-1], [m2 s-1]; nu_d/d_e, nu_4/d_e^3
  LargeArray<Real> divergence_, divergence_laplacian_;  ///< D [s-1], its Laplacian [m-2 s-1] (cell, level)
  LargeArray<Real> vorticity_, vorticity_laplacian_;    ///< zeta [s-1], its Laplacian (vertex, level)
  LargeArray<Real> tendency_, work_, heating_;          ///< S, u S (edge, level); h (cell, level)
  std::int64_t memory_bytes_;
};

}  // namespace halcyon::atmosphere
