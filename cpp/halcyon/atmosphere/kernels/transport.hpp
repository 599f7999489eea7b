#pragma once

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/upwind.hpp"

/// What a flux of mass carries, on edges and at interfaces of layers: m q of cells is kept, and q stays what
/// it is where it is the same everywhere.
namespace halcyon::atmosphere {

/// q_e = (q_1 + q_2)/2 - (c_1 + c_2) + sign(F) beta (c_2 - c_1),  c_i = (d_e^2/12) (d^2 q/dn^2)_i
/// (Skamarock and Gassmann 2011, equation 11)
template <class Real, class Row>
Row between(const Curvature<Real>& curvature, Row flux, Row q_1, Row q_2, Row c_1, Row c_2) {
  const Row middle = Real(0.5) * (q_1 + q_2) - (c_1 + c_2), side = curvature.upwinding * (c_2 - c_1);
  return where_positive(flux, middle + side, middle - side);
}

/// A cell's bends, one row each.
template <class Row>
using BendRows = std::array<Row, kBends>;

/// sum_j w_j (q_j - q_i), the bends of a cell
template <class Real, class F>
BendRows<RowIn<F>> bent(const Curvature<Real>& curvature, const F& q, LocalIndex i) {
  using Row = RowIn<F>;
  const Row here = q[i];
  BendRows<Row> sums{};
  for (auto j = curvature.offsets[i]; j < curvature.offsets[i + 1]; ++j) {
    const Row rise = q[curvature.cells[j]] - here;
    for (int c = 0; c < kBends; ++c) sums[c] += curvature.weights[j][c] * rise;
  }
  return sums;
}

/// The bends of cells, where any bend.
///   q [x] (cell, level) -> [x] (cell, bend, level)
template <class Real>
void bends(const Curvature<Real>& curvature, std::span<const Run> cells, int n_levels, In<Real> q,
           Out<Real> found) {
  if (!curvature.bends()) return;
  for_columns<Real>(cells, n_levels, [&](auto rows, LocalIndex i) {
    const auto sums = bent(curvature, rows(q), i);
    for (int c = 0; c < kBends; ++c) rows.put(found, kBends * i + c, sums[c]);
  });
}

/// q_e by the bends of both cells; the mean of both where nothing bends, as for order 2
///   F [x] (edge, level), q [y] (cell, level), bends [y] (cell, bend, level) -> q_e [y] (edge, level)
template <class Real, class Rows>
typename Rows::Row carried(const Horizontal<Real>& mesh, const Curvature<Real>& curvature, const Rows& rows,
                           In<Real> flux, In<Real> q, In<Real> bends, LocalIndex e) {
  if (bends.empty()) return at_edge(mesh, rows(q), e);
  using Row = typename Rows::Row;
  const auto [first, second] = mesh.cells_on_edge[e];
  const auto& along = curvature.along[e];
  const auto bent = rows(bends);
  const auto c = [&](int side, LocalIndex i) {
    return along[side][0] * bent[kBends * i] + along[side][1] * bent[kBends * i + 1] +
           along[side][2] * bent[kBends * i + 2];
  };
  return between<Real, Row>(curvature, rows(flux)[e], rows(q)[first], rows(q)[second], c(0, first),
                            c(1, second));
}

/// q_e = q of the cell from which the flux comes
///   F [x] (edge, level), q [y] (cell, level) -> q_e [y] (edge, level)
template <class Real, class F>
RowIn<F> upwind(const Horizontal<Real>& mesh, const F& q, const F& flux, LocalIndex e) {
  const auto [first, second] = mesh.cells_on_edge[e];
  return where_positive(flux[e], q[first], q[second]);
}

/// F q_e
///   F [x] (edge, level), q [y] (cell, level), bends [y] (cell, bend, level) -> F q_e [x y] (edge, level)
template <class Real>
[[gnu::flatten]] void carried_flux(const Horizontal<Real>& mesh, const Curvature<Real>& curvature,
                                   std::span<const Run> edges, int n_levels, In<Real> flux, In<Real> q,
                                   In<Real> bends, Out<Real> found) {
  for_columns<Real, kWide<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(found, e, rows(flux)[e] * carried(mesh, curvature, rows, flux, q, bends, e));
  });
}

/// q_e
///   F [x] (edge, level), q [y] (cell, level), bends [y] (cell, bend, level) -> q_e [y] (edge, level)
template <class Real>
[[gnu::flatten]] void carried_values(const Horizontal<Real>& mesh, const Curvature<Real>& curvature,
                                     std::span<const Run> edges, int n_levels, In<Real> flux, In<Real> q,
                                     In<Real> bends, Out<Real> q_edge) {
  for_columns<Real, kWide<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    rows.put(q_edge, e, carried(mesh, curvature, rows, flux, q, bends, e));
  });
}

/// q between layers k and k + 1 of a column, by the number of the layer, counted downwards:
///   (7 (q_k + q_k+1) - (q_k-1 + q_k+2))/12 + sign(M) ((q_k+2 - q_k-1) - 3 (q_k+1 - q_k))/12
/// (Wicker and Skamarock 2002, equations 4 and 5); the mean of both at the first and the last, where a layer
/// is missing, and everywhere for order 2. At the top and the ground the value of the layer there.
///   order 2 or 3;  q [x] (level), M [y] (interface), positive downwards -> [x] (interface)
template <class Real>
void interface_values(int order, In<Real> q, In<Real> flux, Out<Real> found) {
  const auto n = q.size();
  found[0] = q[0];
  found[n] = q[n - 1];
  for_rows<Real>(n - 1, [&](auto rows) {
    rows.put(found.subspan(1), 0, Real(0.5) * (rows(q)[0] + rows(q.subspan(1))[0]));
  });
  if (order == 2 || n < 4) return;
  for_rows<Real>(n - 3, [&](auto rows) {
    const auto beyond_above = rows(q)[0], above = rows(q.subspan(1))[0], below = rows(q.subspan(2))[0],
               beyond_below = rows(q.subspan(3))[0];
    const auto middle = Real(7) * (above + below) - (beyond_above + beyond_below);
    const auto side = (beyond_below - beyond_above) - Real(3) * (below - above);
    const auto value = rows(flux.subspan(2))[0] > Real(0) ? middle + side : middle - side;
    rows.put(found.subspan(2), 0, Real(1) / Real(12) * value);
  });
}

/// Keeps values at interfaces between those of the two layers: of third order they would pass them between
/// thick layers, and air that goes up or down see no stratification.
///   q [x] (level) -> [x] (interface), in place
template <class Real>
void keep_between(In<Real> q, Out<Real> values) {
  for_rows<Real>(q.size() - 1, [&](auto rows) {
    const auto above = rows(q)[0], below = rows(q.subspan(1))[0], value = rows(values.subspan(1))[0];
    const auto low = above < below ? above : below, high = above < below ? below : above;
    const auto raised = value < low ? low : value;
    rows.put(values.subspan(1), 0, raised > high ? high : raised);
  });
}

}  // namespace halcyon::atmosphere
