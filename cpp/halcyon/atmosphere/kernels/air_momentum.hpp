#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/padded_columns.hpp"

namespace halcyon::atmosphere {

/// (M_e du)_k / m_e = (M_{k+1/2} (u_{k+1} - u_k) + M_{k-1/2} (u_k - u_{k-1})) / (2 m)      (Simmons and
/// Burridge 1981, equation 2.20)
template <class Real, class Rows, class Mass>
auto vertical_advection(const Horizontal<Real>& mesh, const Rows& rows, In<Real> vertical_flux,
                        const Mass& mass, const PaddedColumns<Real>& u, LocalIndex e) {
  const auto here = rows(u.here(e))[0];
  const auto upper = here - rows(u.above(e))[0], lower = rows(u.below(e))[0] - here;
  return (at_edge(mesh, rows.above(vertical_flux), e) * upper +
          at_edge(mesh, rows.below(vertical_flux), e) * lower) *
         Real(0.5) / at_edge(mesh, mass(rows), e);
}

/// c_p theta'_e grad(Pi): with grad(phi') the force of pressure, less that in the reference atmosphere
template <class Real, class Rows>
auto pressure_force(const Horizontal<Real>& mesh, const Rows& rows, Real heat_capacity,
                    const AirFields<Real>& fields, LocalIndex e) {
  return heat_capacity * at_edge(mesh, rows(fields.warmth), e) * gradient(mesh, rows(fields.exner), e);
}

/// c_p theta_e grad(Pi - Pi_h) + (dp/dpi - 1) grad(phi): what the vertical acceleration adds to it
template <class Real, class Rows>
auto acceleration_force(const Horizontal<Real>& mesh, const Rows& rows, Real heat_capacity,
                        const AirNumbers<Real>& now, const AirFields<Real>& fields, LocalIndex e) {
  const auto upper = at_edge(mesh, rows.above(fields.lift), e) * gradient(mesh, rows.above(now.phi), e);
  const auto lower = at_edge(mesh, rows.below(fields.lift), e) * gradient(mesh, rows.below(now.phi), e);
  return heat_capacity * at_edge(mesh, rows(now.theta), e) * gradient(mesh, rows(fields.excess), e) +
         Real(0.5) * (upper + lower);
}

/// u_new = u_old + dt (Q_e - grad(K + phi') - c_p theta'_e grad(Pi) - M du/m - ...)
template <bool kNonhydrostatic, class Real, class Mass>
void air_momentum(std::span<const Run> edges, int n_levels, Real heat_capacity, const Mass& mass,
                  const AirStage<Real>& stage, const AirFields<Real>& fields) {
  const auto& mesh = stage.tile.mesh;
  PaddedColumns<Real> u(n_levels);
  const auto prepare = [&](LocalIndex e) {
    u.take(stage.now.u, e);
    fetch<Real>(stage.old.u, stage.tile.edges[e], n_levels);
    fetch<Real>(stage.next.u, stage.tile.edges[e], n_levels);
  };
  for_items(edges, prepare, [&](LocalIndex e) {
    const auto place = stage.tile.edges[e];
    for_rows<Real, kWide<Real>>(n_levels, [&](const auto& rows) {
      auto push = vorticity_flux(mesh, rows(fields.flux), rows(fields.pv_edge), e) -
                  gradient(mesh, rows(fields.bernoulli), e) -
                  pressure_force(mesh, rows, heat_capacity, fields, e) -
                  vertical_advection(mesh, rows, fields.vertical_flux, mass, u, e);
      if constexpr (kNonhydrostatic)
        push -= acceleration_force(mesh, rows, heat_capacity, stage.now, fields, e);
      rows.put(stage.next.u, place, rows(stage.old.u)[place] + stage.dt * push);
    });
  });
}

/// u_new = (u_new - dt k_v u + dt r u_start) / (1 + dt r): the friction of Held and Suarez (1994),
/// k_v = max(0, (p/ps - 0.7)/0.3) per day, and the sponge, implicit so that no r is too much for a step
template <class Real>
struct Friction {
  std::vector<Real> sponge;  ///< r [s-1] (level)
  Large<Real> start;         ///< (owned edge, level), where there is a sponge
  bool ground = false;
};

template <class Real>
void rub(int n_levels, const Friction<Real>& friction, const HybridRows<Real>& hybrid,
         const AirStage<Real>& stage) {
  const auto& [ps, u, theta, w, phi] = stage.now;
  const Real dt = stage.dt;
  for_items(stage.tile.sweeps.winds, [&](LocalIndex e) {
    const auto [first, second] = stage.tile.mesh.cells_on_edge[e];
    const Real surface = Real(0.5) * (ps[first] + ps[second]);
    for (int k = 0; k < n_levels; ++k) {
      const auto at = static_cast<std::size_t>(stage.tile.edges[e]) * n_levels + k;
      Real& u_new = stage.next.u[at];
      if (friction.ground) {
        const Real p =
            Real(0.5) * (hybrid.a[k] + hybrid.a[k + 1] + (hybrid.b[k] + hybrid.b[k + 1]) * surface);
        u_new -= dt * std::max(Real(0), (p / surface - Real(0.7)) / Real(0.3)) / Real(86400) *
                 u[static_cast<std::size_t>(e) * n_levels + k];
      }
      if (friction.start.empty()) continue;
      const Real damped = dt * friction.sponge[k];
      u_new += damped / (Real(1) + damped) * (friction.start[at] - u_new);
    }
  });
}

}  // namespace halcyon::atmosphere
