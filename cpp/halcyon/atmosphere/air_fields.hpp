#pragma once

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/patch.hpp"
#include "halcyon/atmosphere/state.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// A state of the air.
template <class Real>
struct AirNumbers {
  std::span<Real> ps;      ///< [Pa] (cell)
  std::span<Real> u;       ///< [m s-1] (edge, level)
  std::span<Real> theta;   ///< [K] (cell, level)
  std::span<Real> w, phi;  ///< [m s-1], [m2 s-2] (cell, interface); empty where the air is hydrostatic
};

/// What is stepped, and exchanged in this order.
template <class Real>
struct AirState : State<Real>, AirNumbers<Real> {
  /// Collective.
  AirState(const halo::Halo& halo, bool nonhydrostatic)
      : State<Real>(halo, nonhydrostatic ? 5 : 3),
        AirNumbers<Real>{(*this)[0], (*this)[1], (*this)[2], {}, {}} {
    if (nonhydrostatic) this->w = (*this)[3], this->phi = (*this)[4];
  }
};

/// One stage of a step in a patch: next = old + dt f(now).
template <class Real>
struct AirStage {
  const Patch<Real>& patch;
  const AirNumbers<Real>& now;  ///< of the patch
  AirNumbers<Real> old, next;   ///< of the rank, as `lift_old`
  std::span<Real> lift_old;     ///< dp/dpi - 1 at the start of the step (cell, interface)
  Real dt;                      ///< [s]
  Real ahead;                   ///< how far potential vorticity is taken upstream [s]: in the last stage
  bool is_first;
};

/// What the sweeps of a stage read and hand on in a patch, one after the other: (cell, level) where nothing
/// else is said.
template <class Real>
struct AirFields {
  AirFields(std::span<const Patch<Real>> patches, int n_levels, bool nonhydrostatic) {
    const auto sized = [&](const std::vector<LocalIndex> Patch<Real>::* kind, std::size_t n,
                           auto&... fields) {
      std::size_t most = 0;
      for (const auto& patch : patches) most = std::max(most, (patch.*kind).size());
      (fields.assign(most * n, Real{0}), ...);
      memory_bytes += static_cast<std::int64_t>(sizeof...(fields) * most * n * sizeof(Real));
    };
    const auto cells = &Patch<Real>::cells, edges = &Patch<Real>::edges, vertices = &Patch<Real>::vertices;
    sized(cells, 1, ground, sine2, ps, ps_after);
    sized(cells, n_levels, theta, bernoulli, exner, warmth);
    sized(cells, n_levels + 1, vertical_flux);
    sized(edges, n_levels, u, flux, heat_flux, pv_edge);
    sized(vertices, 1, coriolis);
    sized(vertices, n_levels, vorticity, pv);
    if (patches.front().curvature.bends()) sized(cells, kBends * n_levels, bends);
    if (nonhydrostatic) sized(cells, n_levels, excess), sized(cells, n_levels + 1, w, phi, lift);
    now = {ps, u, theta, w, phi};
  }

  AirNumbers<Real> now;
  Large<Real> ground, sine2;  ///< phi_s [m2 s-2]; of latitude, squared (cell)
  Large<Real> coriolis;       ///< [s-1] (vertex)
  Large<Real> ps_after;       ///< of a stage [Pa], also in the first layer around a patch (cell)
  Large<Real> vorticity, pv;  ///< zeta [s-1], where files or dissipation ask for it; q (vertex, level)
  Large<Real> flux, pv_edge;  ///< F [Pa m s-1], q [Pa-1 s-1] (edge, level)
  Large<Real> heat_flux;      ///< F theta (edge, level)
  Large<Real> bends;          ///< of theta [K] (cell, bend, level), if any
  Large<Real> vertical_flux;  ///< M [Pa s-1], positive downwards (cell, interface)
  Large<Real> bernoulli;      ///< K + phi' [m2 s-2]
  Large<Real> exner, warmth;  ///< Pi of hydrostatic pressure; theta' [K]
  // Of the nonhydrostatic set.
  Large<Real> excess;  ///< Pi less that of hydrostatic pressure
  Large<Real> lift;    ///< dp/dpi - 1 (cell, interface)

  std::int64_t memory_bytes = 0;

 private:
  Large<Real> ps, u, theta, w, phi;  ///< of `now`
};

/// What a rank keeps from one stage to another, and for tracers, files and integrals: names as above.
template <class Real>
struct AirKept {
  AirKept(const GlobePart<Real>& part, int n_levels, bool nonhydrostatic) {
    const auto sized = [&](int kind, int n, auto&... fields) {
      (fields.assign(part.n_held(kind, n), Real{0}), ...);
      memory_bytes += static_cast<std::int64_t>(sizeof...(fields) * part.n_held(kind, n) * sizeof(Real));
    };
    sized(0, 1, ground, sine2, ps_before, ps_after);
    sized(0, n_levels + 1, vertical_flux);
    sized(1, n_levels, flux);
    sized(2, n_levels, vorticity, pv);
    if (nonhydrostatic) sized(0, n_levels + 1, lift_old);
  }

  Large<Real> ground, sine2, ps_before, ps_after, vertical_flux, flux, vorticity, pv, lift_old;
  std::int64_t memory_bytes = 0;
};

}  // namespace halcyon::atmosphere
