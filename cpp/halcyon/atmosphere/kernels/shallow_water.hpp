#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// B_i = g (h_i + b_i) + K_i'      (Ringler et al. 2010, shallow water)
///   g [m s-2];  b [m] (cell), the ground;  h [m] (cell, level);  u [m s-1] (edge, level)
///   -> B [m2 s-2] (cell, level)
template <class Real>
void bernoulli(const Energy<Real>& energy, std::span<const Run> cells, int n_levels, Real gravity,
               In<Real> ground, In<Real> h, In<Real> u, Out<Real> found) {
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    rows.put(found, i, gravity * (rows(h)[i] + ground[i]) + kinetic_energy(energy, rows(u), i));
  });
}

}  // namespace halcyon::atmosphere
