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

/// Number of second derivatives of a cell.
inline constexpr int kSecondDerivatives = 3;

template <class Number>
using SecondDerivatives = std::array<Number, kSecondDerivatives>;

/// Second-derivative weights for third-order fluxes. For each cell i, weights w_j of its neighbours j for its
/// second derivatives,
///   D (q_xx + q_yy, q_xx - q_yy, 2 q_xy) = sum_j w_j (q_j - q_i),
/// of the least-squares quadratic through the cell's own value, in the tangent plane, x eastwards (Skamarock
/// and Gassmann 2011, Mon. Weather Rev. 139, section 2c); the length scale D gives them the unit of q. For
/// each edge and both its cells, the weights of these derivatives in
///   (d_e^2 / 12) (second derivative along the normal of the edge).
/// Neighbours are in the order of the mesh.
///
/// The weights of an edge are zero, so that its value is the mean of its cells, if a neighbour of one of its
/// cells is missing in the local mesh: with n halo layers, this holds beyond the edges of the cells of layer
/// n - 2. The weights of a cell are zero if it has fewer than five neighbours, too few for a quadratic.
template <class Real>
struct Curvature {
  /// @param cell_points on the unit sphere (local cell)
  /// @param order of the fluxes, 2 or 3  @param beta beta of that paper
  Curvature(const HorizontalMesh<Real>& mesh, std::span<const Vector3> cell_points, int order, double beta);

  /// Whether there are no weights, as for order 2.
  bool empty() const { return normal_weights.empty(); }
  std::int64_t memory_bytes() const;

  Real upwinding;
  // Entries offsets[i] .. offsets[i + 1] belong to cell i.
  std::vector<LocalIndex> offsets, cells;
  std::vector<SecondDerivatives<Real>> weights;                        ///< parallel to cells
  std::vector<std::array<SecondDerivatives<Real>, 2>> normal_weights;  ///< (edge, side)
};

/// Twice the largest second derivative in any direction.
template <class Real>
Real largest(const SecondDerivatives<Real>& of) {
  return std::abs(of[0]) + std::hypot(of[1], of[2]);
}

/// Values advected across edges: the mean of both cells, or third order with the second derivatives of the
/// cells. Fields are (item, level); a function computes the items of the given runs.

/// q_e = (q_1 + q_2)/2 - (c_1 + c_2) + sign(F) beta (c_2 - c_1),  c_i = (d_e^2/12) (d^2 q/dn^2)_i
/// (Skamarock and Gassmann 2011, equation 11)
template <class Real, class Row>
Row edge_value(const Curvature<Real>& curvature, Row flux, Row q_1, Row q_2, Row c_1, Row c_2) {
  const Row middle = Real(0.5) * (q_1 + q_2) - (c_1 + c_2), side = curvature.upwinding * (c_2 - c_1);
  return where_positive(flux, middle + side, middle - side);
}

/// sum_j w_j (q_j - q_i), the second derivatives of a cell, one row each
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
                        In<Real> q, Out<Real> found) {
  if (curvature.empty()) return;
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    const auto sums = second_derivatives(curvature, rows(q), i);
    for (int c = 0; c < kSecondDerivatives; ++c) rows.put(found, kSecondDerivatives * i + c, sums[c]);
  });
}

/// q_e by the second derivatives of both cells; the mean of both cells if `second` is empty, as for order 2
///   F [x] (edge, level), q [y] (cell, level), second [y] (cell, derivative, level) -> q_e [y] (edge, level)
template <class Real, class Rows>
typename Rows::Row advected_value(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                  const Rows& rows, In<Real> flux, In<Real> q, In<Real> second,
                                  LocalIndex e) {
  if (second.empty()) return at_edge(mesh, rows(q), e);
  using Row = typename Rows::Row;
  const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
  const auto& normal_weights = curvature.normal_weights[e];
  const auto derivatives = rows(second);
  const auto c = [&](int side, LocalIndex i) {
    const auto at = kSecondDerivatives * i;
    return normal_weights[side][0] * derivatives[at] + normal_weights[side][1] * derivatives[at + 1] +
           normal_weights[side][2] * derivatives[at + 2];
  };
  return edge_value<Real, Row>(curvature, rows(flux)[e], rows(q)[cell_1], rows(q)[cell_2], c(0, cell_1),
                               c(1, cell_2));
}

/// q_e = q of the upwind cell
///   F [x] (edge, level), q [y] (cell, level) -> q_e [y] (edge, level)
template <class Real, class F>
RowIn<F> upwind(const HorizontalMesh<Real>& mesh, const F& q, const F& flux, LocalIndex e) {
  const auto [first, second] = mesh.cells_on_edge[e];
  return where_positive(flux[e], q[first], q[second]);
}

/// F q_e
///   F [x] (edge, level), q [y] (cell, level), second [y] (cell, derivative, level)
///   -> F q_e [x y] (edge, level)
template <class Real>
[[gnu::flatten]] void advected_flux(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                    std::span<const IndexRange> edges, int n_levels, In<Real> flux,
                                    In<Real> q, In<Real> second, Out<Real> found) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(found, e, rows(flux)[e] * advected_value(mesh, curvature, rows, flux, q, second, e));
  });
}

/// q_e
///   F [x] (edge, level), q [y] (cell, level), second [y] (cell, derivative, level) -> q_e [y] (edge, level)
template <class Real>
[[gnu::flatten]] void advected_values(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                      std::span<const IndexRange> edges, int n_levels, In<Real> flux,
                                      In<Real> q, In<Real> second, Out<Real> q_edge) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(q_edge, e, advected_value(mesh, curvature, rows, flux, q, second, e));
  });
}

}  // namespace halcyon::operators
