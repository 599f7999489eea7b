#pragma once

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// A state of the air.
template <class Real>
struct AirNumbers {
  std::span<Real> ps;      ///< [Pa] (cell)
  std::span<Real> u;       ///< [m s-1] (edge, level)
  std::span<Real> theta;   ///< [K] (cell, level)
  std::span<Real> w, phi;  ///< [m s-1], [m2 s-2] (cell, interface); or empty
};

/// What is stepped, and exchanged in this order.
template <class Real>
struct AirState : halo::Group<Real>, AirNumbers<Real> {
  /// Collective.
  explicit AirState(const halo::Halo& halo)
      : halo::Group<Real>(halo), AirNumbers<Real>{(*this)[0], (*this)[1], (*this)[2], {}, {}} {
    if (halo.n_fields() > 3) this->w = (*this)[3], this->phi = (*this)[4];
  }
};

/// One stage of a step in a tile: next = old + dt f(now).
template <class Real>
struct AirStage {
  const Tile<Real>& tile;
  const AirNumbers<Real>& now;  ///< of the tile
  AirNumbers<Real> old, next;   ///< of the rank, as `lift_old`
  std::span<Real> lift_old;     ///< dp/dpi - 1 at the start of the step (cell, interface)
  Real dt;                      ///< [s]
  Real ahead;                   ///< how far potential vorticity is taken upstream [s]: in the last stage
  bool is_first;
};

/// What the sweeps of a stage read and hand on in a tile, one after the other: (cell, level) where nothing
/// else is said.
template <class Real>
struct AirFields {
  AirFields(std::span<const Tile<Real>> tiles, int n_levels, bool has_interfaces) {
    for (const auto& tile : tiles)
      for (int kind = 0; kind < 3; ++kind) most[kind] = std::max(most[kind], tile.mesh.n_items()[kind]);
    const auto zeros = [&](int kind, int n, auto&... fields) {
      memory_bytes += make_zeros(static_cast<std::size_t>(most[kind]) * n, fields...);
    };
    zeros(0, 1, ground, sine2, ps, ps_after);
    zeros(0, n_levels, theta, bernoulli, exner, warmth);
    zeros(0, n_levels + 1, vertical_flux);
    zeros(1, n_levels, u, flux, heat_flux, pv_edge);
    zeros(2, 1, coriolis);
    zeros(2, n_levels, vorticity, pv);
    if (!tiles.front().curvature.empty())
      zeros(0, operators::kSecondDerivatives * n_levels, second_derivatives);
    if (has_interfaces) zeros(0, n_levels, excess), zeros(0, n_levels + 1, w, phi, lift);
    now = {ps, u, theta, w, phi};
  }

  std::array<LocalIndex, 3> most{};  ///< cells, edges and vertices that a tile has
  AirNumbers<Real> now;
  Large<Real> ground, sine2;       ///< phi_s [m2 s-2]; of latitude, squared (cell)
  Large<Real> coriolis;            ///< [s-1] (vertex)
  Large<Real> ps_after;            ///< of a stage [Pa], also in the first layer around a tile (cell)
  Large<Real> vorticity, pv;       ///< zeta [s-1], where files or dissipation ask for it; q (vertex, level)
  Large<Real> flux, pv_edge;       ///< F [Pa m s-1], q [Pa-1 s-1] (edge, level)
  Large<Real> heat_flux;           ///< F theta (edge, level)
  Large<Real> second_derivatives;  ///< of theta [K] (cell, derivative, level), if any
  Large<Real> vertical_flux;       ///< M [Pa s-1], positive downwards (cell, interface)
  Large<Real> bernoulli;           ///< K + phi' [m2 s-2]
  Large<Real> exner, warmth;       ///< Pi of hydrostatic pressure; theta' [K]
  // Of sets with values at interfaces.
  Large<Real> excess;  ///< Pi less that of hydrostatic pressure
  Large<Real> lift;    ///< dp/dpi - 1 (cell, interface)

  std::int64_t memory_bytes = 0;

 private:
  Large<Real> ps, u, theta, w, phi;  ///< of `now`
};

/// What a rank keeps from one stage to another, and for tracers, files and integrals: names as above.
template <class Real>
struct AirKept {
  AirKept(const GlobePart<Real>& part, int n_levels, bool has_interfaces) {
    const auto zeros = [&](int kind, int n, auto&... fields) {
      memory_bytes += make_zeros(part.n_held(kind, n), fields...);
    };
    zeros(0, 1, ground, sine2, ps_before, ps_after);
    zeros(0, n_levels + 1, vertical_flux);
    zeros(1, n_levels, flux);
    zeros(2, n_levels, vorticity, pv);
    if (has_interfaces) zeros(0, n_levels + 1, lift_old);
  }

  Large<Real> ground, sine2, ps_before, ps_after, vertical_flux, flux, vorticity, pv, lift_old;
  std::int64_t memory_bytes = 0;
};

}  // namespace halcyon::atmosphere
