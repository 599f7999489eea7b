#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"

namespace halcyon::atmosphere {

/// B_i = g (h_i + b_i) + K_i      (Ringler et al. 2010, shallow water; K_i: KineticEnergyWeights)
///   g [m s-2];  b [m] (cell), the orography;  h [m] (cell, level);  u [m s-1] (edge, level)
///   -> B [m2 s-2] (cell, level)
template <class Real>
void bernoulli(const KineticEnergyWeights<Real>& energy, std::span<const IndexRange> cells, int n_levels,
               Real gravity, In<Real> orography, In<Real> h, In<Real> u, Out<Real> result) {
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    rows.put(result, i, gravity * (rows(h)[i] + orography[i]) + kinetic_energy(energy, rows(u), i));
  });
}

/// Gravity waves of one level, linearized with a thickness H on edges that is constant during a step:
///   dh/dt = -div(H u),   du/dt = -g grad(eta),   eta = h + b, b the orography
/// The implicit solution after a time tau [s], h = h* - tau div(H u), u = u* - tau g grad(eta), follows from
///   (1 - tau^2 g div(H grad)) eta = h* + b - tau div(H u*)      (Robert 1969; Bonaventura and Ringler 2005)

/// H_e = (h_1 + h_2) / 2
///   h [m] (cell) -> H [m] (edge)
template <class Real>
void thickness_on_edges(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> edges, In<Real> h,
                        Out<Real> thickness) {
  const LevelBlock<Real, 1> rows(1, 0);
  for_items(edges, [&](LocalIndex e) { thickness[e] = at_edge(mesh, rows(h), e); });
}

/// D_i(H u) = (1/A_i) sum_e n_ei l_e H_e u_e
template <class Real>
Real thickness_divergence(const HorizontalMesh<Real>& mesh, In<Real> thickness, In<Real> u, LocalIndex i) {
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
void helmholtz_right_side(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells, double tau,
                          In<Real> thickness, In<Real> orography, In<Real> h, In<Real> u,
                          std::span<double> right_side) {
  for_items(cells, [&](LocalIndex i) {
    right_side[i] = double{h[i]} + orography[i] - tau * thickness_divergence<Real>(mesh, thickness, u, i);
  });
}

/// C_ij = tau^2 g H_e l_e / (A_i d_e), minus the off-diagonals of the Helmholtz matrix; inverse diagonal
///   tau2 = tau^2 [s2];  weight = g l_e / (A_i d_e) [m-1 s-2] (edge of a cell);  H [m] (edge)
///   -> C (edge of a cell), 1 / (1 + sum_j C_ij) (owned cell)
template <class Real>
void helmholtz_coefficients(const HorizontalMesh<Real>& mesh, double tau2, std::span<const double> weight,
                            In<Real> thickness, std::span<double> coupling,
                            std::span<double> inverse_diagonal) {
  for (std::size_t i = 0; i < inverse_diagonal.size(); ++i) {
    double sum = 1;
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
      coupling[j] = tau2 * weight[j] * thickness[mesh.edges_on_cell[j]];
      sum += coupling[j];
    }
    inverse_diagonal[i] = 1 / sum;
  }
}

/// eta_i - tau^2 g D_i(H grad eta) = eta_i + sum_j C_ij (eta_i - eta_j)
///   offsets (cell);  j, C (neighbour of a cell);  eta [m] (cell), with the halo -> [m] (owned cell)
inline void helmholtz(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours,
                      std::span<const double> coupling, std::span<const IndexRange> cells,
                      std::span<const double> eta, std::span<double> result) {
  for_items(cells, [&](LocalIndex i) {
    double sum = 0;
    for (auto j = offsets[i]; j < offsets[i + 1]; ++j) sum += coupling[j] * (eta[i] - eta[neighbours[j]]);
    result[i] = eta[i] + sum;
  });
}

/// a_e = -g grad(eta)_e
///   eta [m] (cell) -> a [m s-2] (edge)
template <class Real>
void surface_acceleration(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> edges, double gravity,
                          std::span<const double> eta, Out<Real> acceleration) {
  for_items(edges, [&](LocalIndex e) {
    const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
    acceleration[e] = static_cast<Real>(gravity * (eta[cell_1] - eta[cell_2])) * mesh.inverse_distance[e];
  });
}

/// v = v* + tau r, for the wind and its acceleration, or the thickness and its tendency
///   tau [s];  v* [x], r [x s-1] (item) -> v [x] (item)
template <class Real>
void add_tendency(std::span<const IndexRange> items, Real tau, In<Real> start, In<Real> rate,
                  Out<Real> result) {
  for_items(items, [&](LocalIndex i) { result[i] = start[i] + tau * rate[i]; });
}

/// r_i = -D_i(H u)
///   H [m], u [m s-1] (edge) -> r [m s-1] (owned cell)
template <class Real>
void thickness_tendency(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells,
                        In<Real> thickness, In<Real> u, Out<Real> rate) {
  for_items(cells, [&](LocalIndex i) { rate[i] = -thickness_divergence<Real>(mesh, thickness, u, i); });
}

}  // namespace halcyon::atmosphere
