#pragma once

#include "halcyon/atmosphere/rank_domain.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// Views of the prognostic fields of a state of the air.
template <class Real>
struct AirStateView {
  std::span<Real> ps;      ///< [Pa] (cell)
  std::span<Real> u;       ///< [m s-1] (edge, level)
  std::span<Real> theta;   ///< [K] (cell, level)
  std::span<Real> w, phi;  ///< [m s-1], [m2 s-2] (cell, interface); empty for hydrostatic equations
};

/// The prognostic fields, in the order in which their halos are exchanged.
template <class Real>
struct AirState : halo::FieldStorage<Real>, AirStateView<Real> {
  /// Collective.
  explicit AirState(halo::Halo& halo)
      : halo::FieldStorage<Real>(halo), AirStateView<Real>{(*this)[0], (*this)[1], (*this)[2], {}, {}} {
    if (halo.n_fields() > 3) this->w = (*this)[3], this->phi = (*this)[4];
  }
};

/// Tendencies of the physics during a step, in rank indices; a field without tendency is empty.
template <class Real>
struct Forcing {
  std::span<Real> theta;       ///< dtheta/dt [K s-1] (owned cell, level)
  std::span<const Real> wind;  ///< du/dt [m s-2] (owned edge, level)
  std::span<const Real> drag;  ///< r [s-1] of du/dt = -r u (owned edge, level)

  bool has_wind() const { return !wind.empty() || !drag.empty(); }
  /// u_new += dt (wind - r u) on the n levels of an edge. @param first index of the first level in the rank
  void add_wind(std::size_t first, int n, Real dt, const Real* u, Real* u_new) const {
    for (int k = 0; !wind.empty() && k < n; ++k) u_new[k] += dt * wind[first + k];
    for (int k = 0; !drag.empty() && k < n; ++k) u_new[k] -= dt * drag[first + k] * u[k];
  }
};

/// One Runge-Kutta stage in a tile (a cache-sized block of the rank's cells): next = old + dt f(now).
template <class Real>
struct AirStage {
  const Tile<Real>& tile;
  const AirStateView<Real>& now;     ///< in tile indices
  AirStateView<Real> old, next;      ///< in rank indices, like `acceleration_old`
  std::span<Real> acceleration_old;  ///< dp/dpi - 1 at the start of the step, pi: hydrostatic pressure
  Real dt;                           ///< [s]
  Real upstream_time;  ///< time by which potential vorticity is anticipated [s]; 0 except in the last stage
  bool is_first;
  Forcing<Real> forcing = {};
  std::span<const Real> dissipation = {};  ///< S [m s-2] (edge, level); empty except in the last stage
  std::span<Real> friction = {};           ///< h of `Dissipation` [m2 s-3] (cell, level); may be empty
};

/// Work fields of the current tile, (cell, level) unless given.
template <class Real>
struct TileFields {
  TileFields(std::span<const Tile<Real>> tiles, int n_levels, bool has_interfaces, bool is_moist) {
    for (const auto& tile : tiles)
      for (const auto kind : {kCells, kEdges, kVertices})
        max_items[kind] = std::max(max_items[kind], tile.mesh.n_items()[kind]);
    const auto zeros = [&](ItemKind kind, int n, auto&... fields) {
      memory_bytes += make_zeros(static_cast<std::size_t>(max_items[kind]) * n, fields...);
    };
    zeros(kCells, 1, surface_geopotential, ps, ps_after);
    zeros(kCells, n_levels, theta, bernoulli, exner, theta_perturbation);
    zeros(kCells, n_levels + 1, vertical_flux);
    zeros(kEdges, n_levels, u, flux, heat_flux, pv_edge);
    zeros(kVertices, 1, coriolis);
    zeros(kVertices, n_levels, vorticity, pv);
    if (!tiles.front().curvature.empty())
      zeros(kCells, (operators::kSecondDerivatives + 1) * n_levels, theta_derivatives);
    if (has_interfaces)
      zeros(kCells, n_levels, exner_excess), zeros(kCells, n_levels + 1, w, phi, acceleration);
    if (is_moist) zeros(kCells, n_levels, loading, loaded_theta);
    now = {ps, u, theta, w, phi};
    theta_rho = is_moist ? loaded_theta : theta;
  }

  std::array<LocalIndex, 3> max_items{};  ///< largest numbers of cells, edges and vertices of a tile
  AirStateView<Real> now;
  LargeArray<Real> surface_geopotential;  ///< phi_s [m2 s-2] (cell)
  LargeArray<Real> coriolis;              ///< [s-1] (vertex)
  LargeArray<Real> ps_after;   ///< ps at the end of a stage [Pa], also in the tile's first halo layer (cell)
  LargeArray<Real> vorticity;  ///< zeta [s-1] (vertex, level); for output only
  LargeArray<Real> pv;         ///< q [Pa-1 s-1] (vertex, level)
  LargeArray<Real> flux, pv_edge;              ///< F [Pa m s-1], q [Pa-1 s-1] (edge, level)
  LargeArray<Real> heat_flux;                  ///< F theta (edge, level)
  LargeArray<Real> theta_derivatives;          ///< (cell, derivative, level), see kernel; empty for order 2
  LargeArray<Real> vertical_flux;              ///< M [Pa s-1], positive downwards (cell, interface)
  LargeArray<Real> bernoulli;                  ///< K + phi' [m2 s-2]; primes: AirColumns::compute_bernoulli
  LargeArray<Real> exner, theta_perturbation;  ///< Pi of hydrostatic pressure; theta' [K]
  LargeArray<Real> loading;                    ///< 1 + q_t, q_t: mixing ratio of all water; empty for dry air
  std::span<Real> theta_rho;                   ///< theta_m / (1 + q_t), for dry air theta [K]
  // Only for nonhydrostatic equations, with w and phi at interfaces.
  LargeArray<Real> exner_excess;  ///< Pi minus Pi of hydrostatic pressure
  LargeArray<Real> acceleration;  ///< dp/dpi - 1 = (Dw/Dt) / g (cell, interface)

  std::int64_t memory_bytes = 0;

 private:
  LargeArray<Real> ps, u, theta, w, phi;  ///< storage of `now`
  LargeArray<Real> loaded_theta;          ///< storage of `theta_rho`, if not that of `now`
};

/// Fields of the rank, named as in TileFields; `_before` and `_old`: at the start of the step.
template <class Real>
struct RankFields {
  RankFields(const RankDomain<Real>& domain, int n_levels, bool has_interfaces) {
    const auto zeros = [&](ItemKind kind, int n, auto&... fields) {
      memory_bytes += make_zeros(domain.field_size(kind, n), fields...);
    };
    zeros(kCells, 1, surface_geopotential, ps_before, ps_after);
    zeros(kCells, n_levels + 1, vertical_flux);
    zeros(kEdges, n_levels, flux);
    zeros(kVertices, n_levels, vorticity, pv);
    if (has_interfaces) zeros(kCells, n_levels + 1, acceleration_old);
  }

  LargeArray<Real> surface_geopotential, ps_before, ps_after, vertical_flux, flux, vorticity, pv,
      acceleration_old;
  std::int64_t memory_bytes = 0;
};

}  // namespace halcyon::atmosphere
