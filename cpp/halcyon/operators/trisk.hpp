#pragma once

#include <cmath>

#include "halcyon/base/rows.hpp"
#include "halcyon/operators/horizontal.hpp"

/// Horizontal operators of TRiSK (Thuburn et al. 2009, J. Comput. Phys. 228; Ringler et al. 2010, J. Comput.
/// Phys. 229) at one item (cell, edge or vertex). `u[e]` is a row: values at several levels. [x]: any unit.
namespace halcyon::operators {

/// The type of a row of a field: its values at one item, at several levels.
template <class F>
using RowIn = typename F::Row;

/// D_i = (1/A_i) sum_e n_ei l_e F_e      (Ringler et al. 2010, discrete divergence)
///   F [m s-1 x] (edge, level) -> D [s-1 x] (cell, level)
template <class Real, class F>
RowIn<F> divergence(const HorizontalMesh<Real>& mesh, const F& flux, LocalIndex i) {
  RowIn<F> sum{};
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
    sum += mesh.outward_length[j] * flux[mesh.edges_on_cell[j]];
  return sum;
}

/// G_e = (phi_2 - phi_1) / d_e      (Ringler et al. 2010, discrete gradient)
///   phi [x] (cell, level) -> G [m-1 x] (edge, level)
template <class Real, class F>
RowIn<F> gradient(const HorizontalMesh<Real>& mesh, const F& phi, LocalIndex e) {
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  return (phi[cell_2] - phi[cell_1]) * mesh.inverse_distance[e];
}

/// (q_2 - q_1) / l_e along the tangent, from the first vertex to the second
///   q [x] (vertex, level) -> [m-1 x] (edge, level)
template <class Real, class F>
RowIn<F> tangential_gradient(const HorizontalMesh<Real>& mesh, const F& q, LocalIndex e) {
  const auto [vertex_1, vertex_2] = mesh.vertices_on_edge[e];
  return (q[vertex_2] - q[vertex_1]) * mesh.inverse_length[e];
}

/// zeta_v = (1/A_v) sum_e t_ev d_e u_e      (Ringler et al. 2010, discrete curl)
///   u [m s-1] (edge, level) -> zeta [s-1] (vertex, level)
template <class Real, class F>
RowIn<F> curl(const HorizontalMesh<Real>& mesh, const F& u, LocalIndex v) {
  const auto& edges = mesh.edges_on_vertex[v];
  const auto& weight = mesh.circulation[v];
  return weight[0] * u[edges[0]] + weight[1] * u[edges[1]] + weight[2] * u[edges[2]];
}

/// zeta_v = sum_e w_ev u_e over the edges of the vertex and of its neighbours: the curl, corrected for the
/// distance between the middle of an edge, for which u_e is given, and that of the line between its cells
///   w [m-1] (vertex, edge): `vorticity_weight` or `sharp_vorticity_weight` of the mesh;  u [m s-1] (edge,
///   level) -> zeta [s-1] (vertex, level)
template <class Real, class F>
RowIn<F> vorticity(const HorizontalMesh<Real>& mesh, const VorticityWeights<Real>& weights, const F& u,
                   LocalIndex v) {
  const auto& edges = mesh.vorticity_edges[v];
  const auto& weight = weights[v];
  RowIn<F> sum = weight[0] * u[edges[0]];
  for (int j = 1; j < kVorticityEdges; ++j) sum += weight[j] * u[edges[j]];
  return sum;
}

/// h_v = (1/A_v) sum_i R_iv h_i      (Ringler et al. 2010, thickness at a vertex)
///   h [x] (cell, level) -> (vertex, level)
template <class Real, class F>
RowIn<F> at_vertex(const HorizontalMesh<Real>& mesh, const F& h, LocalIndex v) {
  const auto& cells = mesh.cells_on_vertex[v];
  const auto& share = mesh.kite_share[v];
  return share[0] * h[cells[0]] + share[1] * h[cells[1]] + share[2] * h[cells[2]];
}

/// q_i = (1/A_i) sum_v R_iv q_v
///   q [x] (vertex, level) -> (cell, level)
template <class Real, class F>
RowIn<F> at_cell(const HorizontalMesh<Real>& mesh, const F& q, LocalIndex i) {
  RowIn<F> sum{};
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
    sum += mesh.vertex_share[j] * q[mesh.vertices_on_cell[j]];
  return sum;
}

/// h_e = (h_1 + h_2) / 2      (Ringler et al. 2010, thickness at an edge)
///   h [x] (cell, level) -> (edge, level)
template <class Real, class F>
RowIn<F> at_edge(const HorizontalMesh<Real>& mesh, const F& h, LocalIndex e) {
  if constexpr (requires { h.at_edge(mesh.cells_on_edge[e]); }) return h.at_edge(mesh.cells_on_edge[e]);
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  return Real(0.5) * (h[cell_1] + h[cell_2]);
}

/// Returns the sum of term(e', w_ee' l_e' / d_e) over the other edges e' of both cells of e. Each cell is
/// summed separately, so that the order of the two cells does not change the bits.
template <class Row, class Real, class Term>
Row sum_around(const HorizontalMesh<Real>& mesh, LocalIndex e, const Term& term) {
  const auto sum_of_cell = [&](LocalIndex begin, LocalIndex end) {
    Row sum{};
    for (auto j = begin; j < end; ++j) sum += term(mesh.edges_on_edge[j], mesh.tangent_weight[j]);
    return sum;
  };
  const auto* offsets = &mesh.edge_offsets[2 * static_cast<std::size_t>(e)];
  return sum_of_cell(offsets[0], offsets[1]) + sum_of_cell(offsets[1], offsets[2]);
}

/// u_e^perp = sum_e' w_ee' (l_e' / d_e) u_e'      (Thuburn et al. 2009, equation 33)
///   u [x] (edge, level) -> u^perp, along the tangent (edge, level)
template <class Real, class F>
RowIn<F> tangential(const HorizontalMesh<Real>& mesh, const F& u, LocalIndex e) {
  return sum_around<RowIn<F>>(mesh, e, [&](LocalIndex other, Real weight) { return weight * u[other]; });
}

/// Q_e = sum_e' w_ee' (l_e' / d_e) F_e' (q_e + q_e') / 2    (Ringler et al. 2010, energy-conserving PV flux)
///   F [m2 s-1], q [m-1 s-1] (edge, level) -> Q [m s-2] (edge, level)
template <class Real, class F>
RowIn<F> vorticity_flux(const HorizontalMesh<Real>& mesh, const F& flux, const F& q, LocalIndex e) {
  const auto here = q[e];
  return Real(0.5) * sum_around<RowIn<F>>(mesh, e, [&](LocalIndex other, Real weight) {
           return weight * flux[other] * (here + q[other]);
         });
}

/// K_i = (1/A_i) sum_e (l_e d_e / 4) u_e^2      (Ringler et al. 2010, discrete kinetic energy)
///   u [m s-1] (edge, level) -> K [m2 s-2] (cell, level)
template <class Real, class F>
RowIn<F> kinetic_energy(const HorizontalMesh<Real>& mesh, const F& u, LocalIndex i) {
  RowIn<F> sum{};
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto speed = u[mesh.edges_on_cell[j]];
    sum += mesh.energy_share[j] * speed * speed;
  }
  return sum;
}

/// K_i of KineticEnergyWeights, which is partly averaged from the vertices
///   u [m s-1] (edge, level) -> K [m2 s-2] (cell, level)
template <class Real, class F>
RowIn<F> kinetic_energy(const KineticEnergyWeights<Real>& energy, const F& u, LocalIndex i) {
  RowIn<F> sum{};
  for (auto j = energy.offsets[i]; j < energy.offsets[i + 1]; ++j) {
    const auto speed = u[energy.edges[j]];
    sum += energy.weights[j] * speed * speed;
  }
  return sum;
}

/// div(grad(phi))_i = (1/A_i) sum_e (l_e / d_e) (phi_j - phi_i)
///   phi [x] (cell, level) -> [m-2 x] (cell, level)
template <class Real, class F>
RowIn<F> laplacian(const HorizontalMesh<Real>& mesh, const F& phi, LocalIndex i) {
  const auto here = phi[i];
  RowIn<F> sum{};
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
    const Real weight = std::abs(mesh.outward_length[j]) * mesh.inverse_distance[e];
    sum += weight * (phi[cell_1 == i ? cell_2 : cell_1] - here);
  }
  return sum;
}

/// curl(k x grad(zeta))_v = (1/A_v) sum_e (d_e / l_e) (zeta_w - zeta_v)
///   zeta [x] (vertex, level) -> [m-2 x] (vertex, level)
template <class Real, class F>
RowIn<F> vertex_laplacian(const HorizontalMesh<Real>& mesh, const F& zeta, LocalIndex v) {
  const auto here = zeta[v];
  RowIn<F> sum{};
  for (int j = 0; j < 3; ++j) {
    const auto e = mesh.edges_on_vertex[v][j];
    const auto [vertex_1, vertex_2] = mesh.vertices_on_edge[e];
    const Real weight = std::abs(mesh.circulation[v][j]) * mesh.inverse_length[e];
    sum += weight * (zeta[vertex_1 == v ? vertex_2 : vertex_1] - here);
  }
  return sum;
}

/// L_e = [grad D]_e - (zeta_2 - zeta_1) / l_e: the normal part of the vector Laplacian
///   D [s-1 x] (cell, level), zeta [s-1 x] (vertex, level) -> L [m-1 s-1 x] (edge, level)
template <class Real, class F>
RowIn<F> vector_laplacian(const HorizontalMesh<Real>& mesh, const F& divergence, const F& zeta,
                          LocalIndex e) {
  return gradient(mesh, divergence, e) - tangential_gradient(mesh, zeta, e);
}

}  // namespace halcyon::operators
