#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/rows.hpp"

/// What a flux of mass carries at interfaces of layers, as operators/curvature.hpp has it over edges: m q of
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

/// Tracers q, carried by given fluxes of the mass m [Pa] of layers: F [Pa m s-1] (edge, level) across edges,
/// M [Pa s-1] (cell, interface) downwards through interfaces, zero at the top and the ground, so that
///   m_new = m_old - dt (div F + M_k+1/2 - M_k-1/2)
/// With it, (m q)_new = (m q)_old - dt (div(F q_e) + [M q]) is
///   q_new = q_old - dt/m_new (sum_e n_ei l_e/A_i F_e (q_e - q_old) + [M (q_k+1/2 - q_old)])
/// which leaves a constant what it is to the last bit, whatever rounding the masses have seen.
///
/// The limiter is that of Zalesak (1979, J. Comput. Phys. 31): upwinded fluxes, and of what is missing to
/// those of high order as much as leads to no value beyond those of the cell and its neighbours, across edges
/// and interfaces, before the step.

/// Room for one column.
template <class Real>
struct ColumnRoom {
  explicit ColumnRoom(int n_levels) : interfaces(n_levels + 1), layers(n_levels + 2) {}

  std::vector<Real> interfaces;
  std::vector<Real> layers;  ///< with one more above the first and below the last
};

/// A mass that goes evenly from an old one to a new one.
template <class Real, class Old, class New>
struct Between {
  Real part;
  Old before;
  New after;

  auto operator[](LocalIndex i) const { return (1 - part) * before[i] + part * after[i]; }
};

template <class Real, class Old, class New>
Between<Real, Old, New> between(Real part, Old before, New after) {
  return {part, before, after};
}

/// The cells beside one, edge by edge: its number, the edge, and n_ei l_e / A_i [m-1].
template <class Real, class Visit>
void for_neighbours(const HorizontalMesh<Real>& mesh, LocalIndex i, const Visit& visit) {
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    const auto& beside = mesh.cells_on_edge[e];
    visit(beside[0] == i ? beside[1] : beside[0], e, mesh.outward_length[j]);
  }
}

/// The part of a number above zero.
template <class Row>
Row positive(Row value) {
  return value > Row{} ? value : Row{};
}

/// q_new = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_e - q_old) + [M (q_k+1/2 - q_old)]),  q_k+1/2 of q
///   order 2 or 3 of q_k+1/2;  dt [s];  F, q_e (edge, level);  M (cell, interface);  m: m(rows)[i], the mass
///   after dt [Pa] (cell, level);  q, q_old (cell, level) -> q_new (cell, level), which may be q or q_old
template <class Real, class Mass>
void carry(const HorizontalMesh<Real>& mesh, std::span<const Run> cells, int n_levels, int order,
           ColumnRoom<Real>& room, Real dt, In<Real> flux, In<Real> vertical_flux, const Mass& mass,
           In<Real> q_edge, In<Real> q, In<Real> q_old, Out<Real> q_new) {
  const In<Real> between = room.interfaces;
  for_items(cells, [&](LocalIndex i) {
    const auto M = column(vertical_flux, i, n_levels + 1);
    interface_values<Real>(order, column(q, i, n_levels), M, room.interfaces);
    for_rows<Real>(n_levels, [&](auto rows) {
      const auto here = rows(q_old)[i];
      auto change = rows.below(M)[0] * (rows.below(between)[0] - here) -
                    rows.above(M)[0] * (rows.above(between)[0] - here);
      for_neighbours(mesh, i, [&](LocalIndex, LocalIndex e, Real outward) {
        change += outward * rows(flux)[e] * (rows(q_edge)[e] - here);
      });
      rows.put(q_new, i, here - dt / mass(rows)[i] * change);
    });
  });
}

/// d_e = q_e - q_up: what upwinded fluxes lack, of the present q with its second derivatives and the old one
///   F, q_e (edge, level);  q_old (cell, level) -> d (edge, level)
template <class Real>
void lacks(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature, std::span<const Run> edges,
           int n_levels, In<Real> flux, In<Real> q, In<Real> second, In<Real> q_old, Out<Real> lack) {
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(lack, e,
             advected_value(mesh, curvature, rows, flux, q, second, e) - upwind(mesh, rows(q_old), rows(flux), e));
  });
}

/// The same across the interfaces of a column; none at its ends.
///   old (level + 2), with one more at each end
template <class Real>
void interface_lacks(int order, In<Real> q, In<Real> flux, In<Real> old, Out<Real> lack) {
  const auto n = q.size();
  interface_values<Real>(order, q, flux, lack);
  for_rows<Real>(n + 1, [&](auto rows) {
    const auto upper = rows(old)[0], lower = rows(old.subspan(1))[0];
    rows.put(lack, 0, rows(lack)[0] - (rows(flux)[0] > Real(0) ? upper : lower));
  });
  lack[0] = lack[n] = 0;
}

/// What a tracer is after upwinded fluxes, q_low, and the parts R+ and R- of what else would come into a cell
/// and go out of it that it can take (Zalesak 1979, equations 10 to 13).
template <class Real>
struct Limits {
  std::span<Real> low, raise, lower;  ///< q_low, R+, R- (cell, level)
  std::span<Real> interface_lack;     ///< d at interfaces (cell, interface)
};

/// The part of `whole` for which there is room.
template <class Row>
Row part_of(Row room, Row whole) {
  return whole > room ? room / whole : Row{} + 1;
}

/// C M d across the interfaces of a column; none at its ends.
template <class Real>
void limited_through(In<Real> flux, In<Real> lack, In<Real> raise, In<Real> lower, Out<Real> found) {
  const auto n = raise.size();
  found[0] = found[n] = 0;
  for_rows<Real>(n - 1, [&](auto rows) {
    using Row = typename decltype(rows)::Row;
    const Row more = rows(flux.subspan(1))[0] * rows(lack.subspan(1))[0];
    const Row down = smaller<Row>(rows(lower)[0], rows(raise.subspan(1))[0]);
    const Row up = smaller<Row>(rows(lower.subspan(1))[0], rows(raise)[0]);
    rows.put(found.subspan(1), 0, (more > Real(0) ? down : up) * more);
  });
}

/// q_low = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_up - q_old) + [M (q_up - q_old)])
/// R+ = min(1, (q_max - q_low) m / (dt sum of F d that come in)), R- = min(1, (q_low - q_min) m / (dt sum of
/// F d that go out)), with the largest and smallest q_old of the cell and its neighbours, and q_low
///   order, dt, F, M, m as of `carry`;  d (edge, level);  q, q_old (cell, level)
template <class Real, class Mass>
void limits(const HorizontalMesh<Real>& mesh, std::span<const Run> cells, int n_levels, int order,
            ColumnRoom<Real>& room, Real dt, In<Real> flux, In<Real> vertical_flux, const Mass& mass,
            In<Real> lack, In<Real> q, In<Real> q_old, const Limits<Real>& found) {
  const In<Real> old = room.layers;
  for_items(cells, [&](LocalIndex i) {
    const auto M = column(vertical_flux, i, n_levels + 1);
    const auto of_cell = column(q_old, i, n_levels);
    std::ranges::copy(of_cell, room.layers.begin() + 1);
    room.layers.front() = of_cell.front();
    room.layers.back() = of_cell.back();
    const auto between = column(found.interface_lack, i, n_levels + 1);
    interface_lacks<Real>(order, column(q, i, n_levels), M, old, between);
    for_rows<Real>(n_levels, [&](auto rows) {
      using Row = typename decltype(rows)::Row;
      const Row here = rows(q_old)[i], over = rows(old)[0], under = rows(old.subspan(2))[0];
      const Row down = rows.below(M)[0], from_above = rows.above(M)[0];
      const Row more_down = down * rows.below(between)[0];
      const Row more_from_above = from_above * rows.above(between)[0];
      Row brought = positive<Row>(from_above) * (over - here) + positive<Row>(-down) * (under - here);
      Row gain = positive<Row>(more_from_above) + positive<Row>(-more_down);
      Row loss = positive<Row>(-more_from_above) + positive<Row>(more_down);
      Row most = larger<Row>(here, larger<Row>(over, under));
      Row least = smaller<Row>(here, smaller<Row>(over, under));
      for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
        const Row there = rows(q_old)[other], in = -outward * rows(flux)[e], more_in = in * rows(lack)[e];
        brought += positive<Row>(in) * (there - here);
        gain += positive<Row>(more_in);
        loss += positive<Row>(-more_in);
        most = larger<Row>(most, there);
        least = smaller<Row>(least, there);
      });
      const Row share = dt / mass(rows)[i], low = here + share * brought;
      const Row above_low = larger<Row>(most - low, Row{}), below_low = larger<Row>(low - least, Row{});
      rows.put(found.low, i, low);
      rows.put(found.raise, i, part_of<Row>(above_low, share * gain));
      rows.put(found.lower, i, part_of<Row>(below_low, share * loss));
    });
  });
}

/// q_new = q_low - dt/m (sum_e n_ei l_e/A_i F_e C_e d_e + [M C d]),  C the smaller of R- where it comes from
/// and R+ where it goes to (Zalesak 1979, equation 14)
///   dt, F, M, m as of `carry`;  d (edge, level), limits -> q_new (cell, level)
template <class Real, class Mass>
void correct(const HorizontalMesh<Real>& mesh, std::span<const Run> cells, int n_levels, ColumnRoom<Real>& room,
             Real dt, In<Real> flux, In<Real> vertical_flux, const Mass& mass, In<Real> lack,
             const Limits<Real>& limits, Out<Real> q_new) {
  const In<Real> through = room.interfaces;
  for_items(cells, [&](LocalIndex i) {
    limited_through<Real>(column(vertical_flux, i, n_levels + 1),
                          column(limits.interface_lack, i, n_levels + 1), column(limits.raise, i, n_levels),
                          column(limits.lower, i, n_levels), room.interfaces);
    for_rows<Real>(n_levels, [&](auto rows) {
      using Row = typename decltype(rows)::Row;
      const Row raise = rows(limits.raise)[i], lower = rows(limits.lower)[i];
      Row change = rows.below(through)[0] - rows.above(through)[0];
      for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
        const Row more = outward * rows(flux)[e] * rows(lack)[e];
        const Row out = smaller<Row>(lower, rows(limits.raise)[other]);
        const Row in = smaller<Row>(raise, rows(limits.lower)[other]);
        change += (more > Real(0) ? out : in) * more;
      });
      rows.put(q_new, i, rows(limits.low)[i] - dt / mass(rows)[i] * change);
    });
  });
}

}  // namespace halcyon::atmosphere
