#pragma once

#include "halcyon/operators/curvature.hpp"

/// Kernels of one Runge-Kutta stage for layers of mass h, for any equation set (Ringler et al. 2010):
///   dh/dt = -div(h u),   du/dt = q (h u)^perp - grad(B)
/// Fields are (item, level); a kernel computes the items of the given index ranges.
namespace halcyon::atmosphere {

using operators::Curvature, operators::KineticEnergyWeights, operators::HorizontalMesh,
    operators::kSecondDerivatives;

/// q_v = (f_v + zeta_v) / h_v,  zeta_v: operators::vorticity, sharp or not
///   f [s-1] (vertex);  h [m]: h(rows)[i] (cell, level), [Pa] for air;  u [m s-1] (edge, level)
///   -> zeta [s-1] (may be empty), q [m-1 s-1] (vertex, level)
template <class Real, class Mass>
void potential_vorticity(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> vertices, int n_levels,
                         bool sharp, In<Real> f, const Mass& h, In<Real> u, Out<Real> zeta, Out<Real> q) {
  const auto& weights = sharp ? mesh.sharp_vorticity_weight : mesh.vorticity_weight;
  for_columns<Real, kWideRow<Real>>(vertices, n_levels, [&](auto rows, LocalIndex v) {
    const auto zeta_v = vorticity(mesh, weights, rows(u), v);
    if (!zeta.empty()) rows.put(zeta, v, zeta_v);
    rows.put(q, v, (f[v] + zeta_v) / at_vertex(mesh, h(rows), v));
  });
}

/// F_e = h_e u_e,  q_e = (q_1 + q_2)/2 - tau u_e^perp (q_2 - q_1)/l_e, tau = upstream_time [s]: anticipated
/// PV (Ringler et al. 2010) without the component across the flux, which would need a third halo layer
///   h [m]: h(rows)[i] (cell, level);  u [m s-1] (edge, level);  q [m-1 s-1] (vertex, level)
///   -> F [m2 s-1], q_e [m-1 s-1] (edge, level)
template <class Real, class Mass>
void mass_flux(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> edges, int n_levels,
               Real upstream_time, const Mass& h, In<Real> u, In<Real> q, Out<Real> flux, Out<Real> q_edge) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(flux, e, at_edge(mesh, h(rows), e) * rows(u)[e]);
    const auto [right, left] = mesh.vertices_on_edge[e];
    auto pv = Real(0.5) * (rows(q)[right] + rows(q)[left]);
    if (upstream_time > 0)
      pv -= upstream_time * tangential(mesh, rows(u), e) * tangential_gradient(mesh, rows(q), e);
    rows.put(q_edge, e, pv);
  });
}

/// h_new = h_old - dt div(F)
///   dt [s];  F [m2 s-1] (edge, level);  h [m] (cell, level)
template <class Real>
void continuity(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells, int n_levels, Real dt,
                In<Real> flux, In<Real> h_old, Out<Real> h_new) {
  for_columns<Real, kWideRow<Real>>(cells, n_levels, [&](auto rows, LocalIndex i) {
    rows.put(h_new, i, rows(h_old)[i] - dt * divergence(mesh, rows(flux), i));
  });
}

/// u_new = u_old + dt (Q_e - grad(B) + S),  Q_e the flux of potential vorticity, B the Bernoulli function
///   dt [s];  F [m2 s-1], q [m-1 s-1], S [m s-2] (may be empty), u [m s-1] (edge, level)
///   B [m2 s-2] (cell, level)
template <class Real>
void momentum(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> edges, int n_levels, Real dt,
              In<Real> flux, In<Real> q_edge, In<Real> bernoulli, In<Real> dissipation, In<Real> u_old,
              Out<Real> u_new) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](auto rows, LocalIndex e) {
    auto tendency = vorticity_flux(mesh, rows(flux), rows(q_edge), e) - gradient(mesh, rows(bernoulli), e);
    if (!dissipation.empty()) tendency += rows(dissipation)[e];
    rows.put(u_new, e, rows(u_old)[e] + dt * tendency);
  });
}

}  // namespace halcyon::atmosphere
