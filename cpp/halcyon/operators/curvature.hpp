#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/operators/horizontal.hpp"
#include "halcyon/operators/trisk.hpp"

namespace halcyon::operators {

inline constexpr int kSecondDerivatives = 3;

template <class Number>
using SecondDerivatives = std::array<Number, kSecondDerivatives>;

/// Weights for third-order fluxes. `weights`: weights w_j of the neighbours j of a cell i in the derivatives
///   d^2 (q_xx + q_yy, q_xx - q_yy, 2 q_xy) = sum_j w_j (q_j - q_i)
/// of the least-squares quadratic through q_i, in the tangent plane, x eastwards (Skamarock and Gassmann
/// 2011, Mon. Weather Rev. 139, section 2c). d is the distance of the farthest neighbour, so that the
/// derivatives have the unit of q. `normal_weights`: for both cells of an edge, the weights of derivatives in
///   (d_e^2 / 12) (second derivative along the normal of the edge).
/// `shifts`: the mean of the two cells of an edge is the value at the middle of the line between them; values
/// at the middle of the edge, a distance s along the tangent from there, add
///   s dq/dt = shifts[0] (q_left - q_right) + shifts[1] (q_2 - q_1)
/// with the third cells of the edge's vertices, exact if q is linear. On the uniform mesh |s| is at most .035
/// d_e near the pentagons, and its neglect is an error of transport that does not decrease with the spacing.
///
/// The weights of an edge are zero, and the value at the edge is the mean of its cells, if a neighbour of one
/// of its cells is missing in the local mesh: with n halo layers, only the edges of owned cells and of halo
/// layers 1 to n - 2 have weights. A quadratic needs five neighbours; cells with fewer have weights of 0.
template <class Real>
struct Curvature {
  /// @param cell_points, vertex_points on the unit sphere (local cell, vertex)
  /// @param order of the fluxes, 2 or 3  @param beta upwind coefficient of Skamarock and Gassmann (2011)
  Curvature(const HorizontalMesh<Real>& mesh, std::span<const Vector3> cell_points,
            std::span<const Vector3> vertex_points, int order, double beta);

  /// Whether there are no weights, as for order 2.
  bool empty() const { return normal_weights.empty(); }
  std::int64_t memory_bytes() const;

  Real upwinding;  ///< beta of Skamarock and Gassmann (2011)
  // Entries offsets[i] .. offsets[i + 1] - 1 of cells and weights are the neighbours of cell i.
  std::vector<LocalIndex> offsets, cells;
  std::vector<SecondDerivatives<Real>> weights;                        ///< parallel to cells
  std::vector<std::array<SecondDerivatives<Real>, 2>> normal_weights;  ///< (edge, side)
  std::vector<std::array<LocalIndex, 2>> side_cells;                   ///< right, left of the normal (edge)
  std::vector<std::array<Real, 2>> shifts;                             ///< (edge)
};

/// Returns twice the largest absolute second derivative of a cell in any direction.
template <class Real>
Real twice_largest(const SecondDerivatives<Real>& derivatives) {
  return std::abs(derivatives[0]) + std::hypot(derivatives[1], derivatives[2]);
}

/// Values advected across edges: the mean of both cells (order 2), or this mean corrected by the second
/// derivatives of the cells (order 3). Fields are (item, level), on given ranges. [x], [y]: any units.

/// q_e = q_m - (c_1 + c_2) + sign(F) beta (c_2 - c_1),  c_i = (d_e^2/12) (d^2 q/dn^2)_i   (eq. 11), where q_m
/// is the value of a linear q at the middle of the edge
template <class Real, class Row>
Row edge_value(const Curvature<Real>& curvature, Row flux, Row q_m, Row c_1, Row c_2) {
  const Row centred = q_m - (c_1 + c_2), upwind = curvature.upwinding * (c_2 - c_1);
  return where_positive(flux, centred + upwind, centred - upwind);
}

/// sum_j w_j (q_j - q_i), the second derivatives of a cell: one row of levels per derivative
template <class Real, class F>
SecondDerivatives<RowIn<F>> second_derivatives(const Curvature<Real>& curvature, const F& q, LocalIndex i) {
  using Row = RowIn<F>;
  const Row here = q[i];
  SecondDerivatives<Row> sums{};
  for (auto j = curvature.offsets[i]; j < curvature.offsets[i + 1]; ++j) {
    const Row rise = q[curvature.cells[j]] - here;
    for (int c = 0; c < kSecondDerivatives; ++c) sums[c] += curvature.weights[j][c] * rise;
  }
  return sums;
}

/// The second derivatives of cells; does nothing for order 2.
///   q [x] (cell, level) -> [x] (cell, derivative, level)
template <class Real>
void second_derivatives(const Curvature<Real>& curvature, std::span<const IndexRange> cells, int n_levels,
                        In<Real> q, Out<Real> derivatives) {
  if (curvature.empty()) return;
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    const auto sums = second_derivatives(curvature, rows(q), i);
    for (int c = 0; c < kSecondDerivatives; ++c) rows.put(derivatives, kSecondDerivatives * i + c, sums[c]);
  });
}

/// s dq/dt (`Curvature::shifts`)
///   q [x] (cell, level) -> [x] (edge, level)
template <class Real, class F>
RowIn<F> shift(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature, const F& q, LocalIndex e) {
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  const auto [right, left] = curvature.side_cells[e];
  const auto& weight = curvature.shifts[e];
  return weight[0] * (q[left] - q[right]) + weight[1] * (q[cell_2] - q[cell_1]);
}

/// q_e (edge_value) with q_m, and with the second derivatives of both cells: the first rows of a cell in
/// `derivatives`, with kRows rows per cell
template <int kRows, class Real, class Rows>
typename Rows::Row third_order_value(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                     const Rows& rows, In<Real> flux, typename Rows::Row q_m,
                                     In<Real> derivatives, LocalIndex e) {
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  const auto& normal_weights = curvature.normal_weights[e];
  const auto second = rows(derivatives);
  const auto c = [&](int side, LocalIndex i) {
    const auto row = kRows * i;
    return normal_weights[side][0] * second[row] + normal_weights[side][1] * second[row + 1] +
           normal_weights[side][2] * second[row + 2];
  };
  return edge_value<Real, typename Rows::Row>(curvature, rows(flux)[e], q_m, c(0, cell_1), c(1, cell_2));
}

/// q_e of third order, or for order 2, without derivatives, the mean q of both cells
///   F [x] (edge, level), q [y] (cell, level), derivatives [y] (cell, derivative, level)
///   -> q_e [y] (edge, level)
template <class Real, class Rows>
typename Rows::Row advected_value(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                  const Rows& rows, In<Real> flux, In<Real> q, In<Real> derivatives,
                                  LocalIndex e) {
  const auto mean = at_edge(mesh, rows(q), e);
  if (derivatives.empty()) return mean;
  return third_order_value<kSecondDerivatives>(mesh, curvature, rows, flux,
                                               mean + shift(mesh, curvature, rows(q), e), derivatives, e);
}

/// q_e = q of the upwind cell
///   F [x] (edge, level), q [y] (cell, level) -> q_e [y] (edge, level)
template <class Real, class F>
RowIn<F> upwind(const HorizontalMesh<Real>& mesh, const F& q, const F& flux, LocalIndex e) {
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  return where_positive(flux[e], q[cell_1], q[cell_2]);
}

/// F q_e [x y] (edge, level), with q_e and the arguments of advected_value
template <class Real>
[[gnu::flatten]] void advected_flux(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                    std::span<const IndexRange> edges, int n_levels, In<Real> flux,
                                    In<Real> q, In<Real> derivatives, Out<Real> flux_of_q) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(flux_of_q, e, rows(flux)[e] * advected_value(mesh, curvature, rows, flux, q, derivatives, e));
  });
}

/// q_e [y] (edge, level) of advected_value, with the same arguments
template <class Real>
[[gnu::flatten]] void advected_values(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                      std::span<const IndexRange> edges, int n_levels, In<Real> flux,
                                      In<Real> q, In<Real> derivatives, Out<Real> q_edge) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(q_edge, e, advected_value(mesh, curvature, rows, flux, q, derivatives, e));
  });
}

}  // namespace halcyon::operators
