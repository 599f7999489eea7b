#pragma once

#include "halcyon/atmosphere/kernels/transport.hpp"

/// What kernels/transport.hpp has by third order, by second: an edge carries the mean of its two cells,
///   q_e = (q_1 + q_2)/2
/// and nothing bends.
namespace halcyon::atmosphere {

/// q_e of all edges of some runs.
///   q [x] (cell, level) -> q_e [x] (edge, level)
template <class Real>
void centred_values(const Horizontal<Real>& mesh, std::span<const Run> edges, int n_levels, In<Real> q,
                    Out<Real> q_edge) {
  for_columns<Real, kWide<Real>>(
      edges, n_levels, [&](auto rows, LocalIndex e) { rows.put(q_edge, e, at_edge(mesh, rows(q), e)); });
}

/// F_e q_e
///   F [x] (edge, level), q [y] (cell, level) -> F q_e [x y] (edge, level)
template <class Real>
void centred_flux(const Horizontal<Real>& mesh, std::span<const Run> edges, int n_levels, In<Real> flux,
                  In<Real> q, Out<Real> found) {
  for_columns<Real, kWide<Real>>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(found, e, rows(flux)[e] * at_edge(mesh, rows(q), e));
  });
}

/// d_e = q_e - q_up: what upwinded fluxes lack, q_e of the present q and q_up of the old one
///   F (edge, level);  q, q_old (cell, level) -> d (edge, level)
template <class Real>
void centred_lacks(const Horizontal<Real>& mesh, std::span<const Run> edges, int n_levels, In<Real> flux,
                   In<Real> q, In<Real> q_old, Out<Real> lack) {
  for_columns<Real, kWide<Real>>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(lack, e, at_edge(mesh, rows(q), e) - upwind(mesh, rows(q_old), rows(flux), e));
  });
}

}  // namespace halcyon::atmosphere
