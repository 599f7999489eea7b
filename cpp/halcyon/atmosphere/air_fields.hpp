#pragma once

#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/state.hpp"
#include "halcyon/atmosphere/upwind.hpp"
#include "halcyon/base/large_pages.hpp"

namespace halcyon::atmosphere {

/// What is stepped, and exchanged in this order.
template <class Real>
struct AirState : State<Real> {
  /// Collective.
  AirState(const halo::Halo& halo, bool nonhydrostatic)
      : State<Real>(halo, nonhydrostatic ? 5 : 3), ps((*this)[0]), u((*this)[1]), theta((*this)[2]) {
    if (nonhydrostatic) w = (*this)[3], phi = (*this)[4];
  }

  std::span<Real> ps;      ///< [Pa] (cell)
  std::span<Real> u;       ///< [m s-1] (edge, level)
  std::span<Real> theta;   ///< [K] (cell, level)
  std::span<Real> w, phi;  ///< [m s-1], [m2 s-2] (cell, interface); empty where the air is hydrostatic
};

/// One stage of a step: next = old + dt f(now).
template <class Real>
struct AirStage {
  const AirState<Real>&now, &old, &next;
  Real dt;     ///< [s]
  Real ahead;  ///< how far potential vorticity is taken upstream [s]: in the last stage
  bool is_first;
};

/// What the sweeps of a stage read beside the state, and hand on: (cell, level) where nothing else is said.
template <class Real>
struct AirFields {
  AirFields(const GlobePart<Real>& part, int n_levels, bool nonhydrostatic) {
    const auto sized = [&](int kind, int n, auto&... fields) {
      (fields.assign(part.n_held(kind, n), Real{0}), ...);
      n_numbers += sizeof...(fields) * part.n_held(kind, n);
    };
    sized(0, 1, ground, sine2, ps_before, ps_after);
    sized(0, n_levels, bernoulli, exner, warmth);
    sized(0, n_levels + 1, vertical_flux);
    sized(1, n_levels, flux, heat_flux, pv_edge);
    sized(2, n_levels, vorticity, pv);
    if (part.options.scheme.bends()) sized(0, kBends * n_levels, bends);
    if (nonhydrostatic) sized(0, n_levels, excess), sized(0, n_levels + 1, lift, lift_old);
  }

  Large<Real> ground, sine2;        ///< phi_s [m2 s-2]; of latitude, squared (cell)
  Large<Real> ps_before, ps_after;  ///< of a step [Pa], also in the first halo layer (cell)
  Large<Real> vorticity, pv;        ///< zeta [s-1], where files or dissipation ask for it; q (vertex, level)
  Large<Real> flux, pv_edge;        ///< F [Pa m s-1], q [Pa-1 s-1] (edge, level)
  Large<Real> heat_flux;            ///< F theta (edge, level)
  Large<Real> bends;                ///< of theta [K] (cell, bend, level), if any
  Large<Real> vertical_flux;        ///< M [Pa s-1], positive downwards (cell, interface)
  Large<Real> bernoulli;            ///< K + phi' [m2 s-2]
  Large<Real> exner, warmth;        ///< Pi of hydrostatic pressure; theta' [K]
  // Of the nonhydrostatic set.
  Large<Real> excess;          ///< Pi less that of hydrostatic pressure
  Large<Real> lift, lift_old;  ///< dp/dpi - 1, now and at the start of the step (cell, interface)

  std::size_t n_numbers = 0;  ///< in all of them
};

}  // namespace halcyon::atmosphere
