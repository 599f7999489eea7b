#pragma once

#include "halcyon/base/rows.hpp"

/// What a flux of mass carries at interfaces of layers, as operators/upwind.hpp has it over edges: m q of
/// cells is kept, and q stays what it is where it is the same everywhere.
namespace halcyon::atmosphere {

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
