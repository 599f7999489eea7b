#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// B_i = g (h_i + b_i) + K_i'      (Ringler et al. 2010, shallow water)
///   g [m s-2];  b [m] (cell), the ground;  h [m] (cell, level);  u [m s-1] (edge, level)
///   -> B [m2 s-2] (cell, level)
template <class Real>
void bernoulli(const KineticEnergyWeights<Real>& energy, std::span<const Run> cells, int n_levels, Real gravity,
               In<Real> ground, In<Real> h, In<Real> u, Out<Real> found) {
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    rows.put(found, i, gravity * (rows(h)[i] + ground[i]) + kinetic_energy(energy, rows(u), i));
  });
}

/// Gravity waves on a layer whose thickness H on edges stays for a step, of one level:
///   dh/dt = -div(H u),   du/dt = -g grad(eta),   eta = h + b
/// and their implicit solution after a time tau [s], h = h* - tau div(H u), u = u* - tau g grad(eta), from
/// which
///   (1 - tau^2 g div(H grad)) eta = h* + b - tau div(H u*)      (Robert 1969; Bonaventura and Ringler 2005)

/// H_e = (h_1 + h_2) / 2
///   h [m] (cell) -> H [m] (edge)
template <class Real>
void thickness_on_edges(const HorizontalMesh<Real>& mesh, std::span<const Run> edges, In<Real> h,
                        Out<Real> found) {
  const Block<Real, 1> rows(1, 0);
  for_items(edges, [&](LocalIndex e) { found[e] = at_edge(mesh, rows(h), e); });
}

/// D_i(H u) = (1/A_i) sum_e n_ei l_e H_e u_e
template <class Real>
Real thinning(const HorizontalMesh<Real>& mesh, In<Real> thickness, In<Real> u, LocalIndex i) {
  Real sum{};
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    sum += mesh.outward_length[j] * (thickness[e] * u[e]);
  }
  return sum;
}

/// h* + b - tau D(H u*)
///   tau [s];  H [m], u* [m s-1] (edge);  h*, b [m] (cell) -> [m] (owned cell)
template <class Real>
void surface_without_waves(const HorizontalMesh<Real>& mesh, std::span<const Run> cells, double tau,
                           In<Real> thickness, In<Real> ground, In<Real> h, In<Real> u,
                           std::span<double> found) {
  for_items(cells, [&](LocalIndex i) {
    found[i] = double{h[i]} + ground[i] - tau * thinning<Real>(mesh, thickness, u, i);
  });
}

/// C_ij = tau^2 g H_e l_e / (A_i d_e), and the diagonal 1 + sum_j C_ij, of which its inverse
///   tau2 = tau^2 [s2];  share = g l_e / (A_i d_e) [m-1 s-2] beside the cells' edges;  H [m] (edge)
///   -> C beside the cells' edges, 1 / (1 + sum_j C_ij) (owned cell)
template <class Real>
void wave_coupling(const HorizontalMesh<Real>& mesh, double tau2, std::span<const double> share,
                   In<Real> thickness, std::span<double> coupling, std::span<double> over_diagonal) {
  for (std::size_t i = 0; i < over_diagonal.size(); ++i) {
    double sum = 1;
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
      coupling[j] = tau2 * share[j] * thickness[mesh.edges_on_cell[j]];
      sum += coupling[j];
    }
    over_diagonal[i] = 1 / sum;
  }
}

/// eta_i - tau^2 g D_i(H grad eta) = eta_i + sum_j C_ij (eta_i - eta_j)
///   offsets (cell);  j, C (neighbour of a cell);  eta [m] (cell), with the halo -> [m] (owned cell)
inline void helmholtz(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours,
                      std::span<const double> coupling, std::span<const Run> cells,
                      std::span<const double> eta, std::span<double> found) {
  for_items(cells, [&](LocalIndex i) {
    double sum = 0;
    for (auto j = offsets[i]; j < offsets[i + 1]; ++j) sum += coupling[j] * (eta[i] - eta[neighbours[j]]);
    found[i] = eta[i] + sum;
  });
}

/// a_e = -g grad(eta)_e
///   eta [m] (cell) -> a [m s-2] (edge)
template <class Real>
void surface_push(const HorizontalMesh<Real>& mesh, std::span<const Run> edges, double gravity,
                  std::span<const double> eta, Out<Real> push) {
  for_items(edges, [&](LocalIndex e) {
    const auto [first, second] = mesh.cells_on_edge[e];
    push[e] = static_cast<Real>(gravity * (eta[first] - eta[second])) * mesh.inverse_distance[e];
  });
}

/// v = v* + tau r: the wind by its push, or the thickness by its rate
///   tau [s];  v* [x], r [x s-1] (item) -> v [x] (item)
template <class Real>
void with_waves(std::span<const Run> items, Real tau, In<Real> without, In<Real> rate, Out<Real> found) {
  for_items(items, [&](LocalIndex i) { found[i] = without[i] + tau * rate[i]; });
}

/// r_i = -D_i(H u)
///   H [m], u [m s-1] (edge) -> r [m s-1] (owned cell)
template <class Real>
void thickening(const HorizontalMesh<Real>& mesh, std::span<const Run> cells, In<Real> thickness, In<Real> u,
                Out<Real> rate) {
  for_items(cells, [&](LocalIndex i) { rate[i] = -thinning<Real>(mesh, thickness, u, i); });
}

}  // namespace halcyon::atmosphere
