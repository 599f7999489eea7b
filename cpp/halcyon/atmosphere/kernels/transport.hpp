#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/rows.hpp"

/// Vertical advective fluxes and the tracer step; for horizontal fluxes see operators/curvature.hpp. The
/// scheme conserves m q (m: layer mass, q: mixing ratio) and preserves constants. [x], [y]: any units.
namespace halcyon::atmosphere {

/// q at the interface of layers k and k + 1 of a column, counted downwards. Order 3:
///   (7 (q_k + q_k+1) - (q_k-1 + q_k+2))/12 + sign(M) ((q_k+2 - q_k-1) - 3 (q_k+1 - q_k))/12
/// (Wicker and Skamarock 2002, equations 4 and 5). Order 2, and the first and last inner interface: the mean
/// of the two layers. Top and surface: the value of the adjacent layer.
///   order 2 or 3;  q [x] (level), M [y] (interface), positive downwards -> [x] (interface)
template <class Real>
void interface_values(int order, In<Real> q, In<Real> flux, Out<Real> result) {
  const auto n = q.size();
  result[0] = q[0];
  result[n] = q[n - 1];
  for_rows<Real>(n - 1, [&](auto rows) {
    rows.put(result.subspan(1), 0, Real(0.5) * (rows(q)[0] + rows(q.subspan(1))[0]));
  });
  if (order == 2 || n < 4) return;
  for_rows<Real>(n - 3, [&](auto rows) {
    const auto beyond_above = rows(q)[0], above = rows(q.subspan(1))[0], below = rows(q.subspan(2))[0],
               beyond_below = rows(q.subspan(3))[0];
    const auto centred = Real(7) * (above + below) - (beyond_above + beyond_below);
    const auto upwind = (beyond_below - beyond_above) - Real(3) * (below - above);
    const auto value = rows(flux.subspan(2))[0] > Real(0) ? centred + upwind : centred - upwind;
    rows.put(result.subspan(2), 0, Real(1) / Real(12) * value);
  });
}

/// Limits interface values to the range of the two adjacent layers. Between thick layers third-order values
/// can leave this range; vertical advection would then ignore the stratification.
///   q [x] (level) -> [x] (interface), in place
template <class Real>
void clamp_interface_values(In<Real> q, Out<Real> values) {
  for_rows<Real>(q.size() - 1, [&](auto rows) {
    const auto above = rows(q)[0], below = rows(q.subspan(1))[0], value = rows(values.subspan(1))[0];
    const auto low = above < below ? above : below, high = above < below ? below : above;
    const auto raised = value < low ? low : value;
    rows.put(values.subspan(1), 0, raised > high ? high : raised);
  });
}

/// Advection of tracers q by given mass fluxes of layers of mass m [Pa]: F [Pa m s-1] (edge, level) across
/// edges, M [Pa s-1] (cell, interface) downwards, zero at the top and the surface. With [X] = X_k+1/2 -
/// X_k-1/2, m_new = m_old - dt (div F + [M]), and (m q)_new = (m q)_old - dt (div(F q_e) + [M q]) becomes
///   q_new = q_old - dt/m_new (sum_e n_ei l_e/A_i F_e (q_e - q_old) + [M (q_k+1/2 - q_old)])
/// which preserves a constant bitwise for any rounding errors of the masses.
///
/// Flux-corrected transport (Zalesak 1979, J. Comput. Phys. 31): first-order upwind fluxes plus high-order
/// corrections, limited so that q_new stays within the range of q_old in the cell and all its neighbours.

/// Work arrays of one column.
template <class Real>
struct ColumnBuffers {
  explicit ColumnBuffers(int n_levels) : interfaces(n_levels + 1), layers(n_levels + 2) {}

  std::vector<Real> interfaces;  ///< (interface)
  std::vector<Real> layers;      ///< (level + 2), padded by one layer at each end
};

/// The mass at a fraction of a step, linear between the old and the new mass.
template <class Real, class Old, class New>
struct BlendedMass {
  Real fraction;
  Old before;
  New after;

  auto operator[](LocalIndex i) const { return (1 - fraction) * before[i] + fraction * after[i]; }
};

template <class Real, class Old, class New>
BlendedMass<Real, Old, New> blended_mass(Real fraction, Old before, New after) {
  return {fraction, before, after};
}

/// Calls visit(neighbour, edge, n_ei l_e / A_i [m-1]) for each edge of cell i.
template <class Real, class Visit>
void for_neighbours(const HorizontalMesh<Real>& mesh, LocalIndex i, const Visit& visit) {
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    const auto& cells = mesh.cells_on_edge[e];
    visit(cells[0] == i ? cells[1] : cells[0], e, mesh.outward_length[j]);
  }
}

/// max(value, 0)
template <class Row>
Row positive(Row value) {
  return value > Row{} ? value : Row{};
}

/// q_new = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_e - q_old) + [M (q_k+1/2 - q_old)]), where q_k+1/2 is
/// computed from q with the given order, 2 or 3
///   dt [s];  F, q_e (edge, level);  M (cell, interface);  m: m(rows)[i], the mass after dt [Pa] (cell,
///   level); q, q_old (cell, level) -> q_new (cell, level), may alias q or q_old
template <class Real, class Mass>
void advect(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells, int n_levels, int order,
            ColumnBuffers<Real>& buffers, Real dt, In<Real> flux, In<Real> vertical_flux, const Mass& mass,
            In<Real> q_edge, In<Real> q, In<Real> q_old, Out<Real> q_new) {
  const In<Real> q_interface = buffers.interfaces;
  for_items(cells, [&](LocalIndex i) {
    const auto M = column(vertical_flux, i, n_levels + 1);
    interface_values<Real>(order, column(q, i, n_levels), M, buffers.interfaces);
    for_rows<Real>(n_levels, [&](auto rows) {
      const auto here = rows(q_old)[i];
      auto change = rows.below(M)[0] * (rows.below(q_interface)[0] - here) -
                    rows.above(M)[0] * (rows.above(q_interface)[0] - here);
      for_neighbours(mesh, i, [&](LocalIndex, LocalIndex e, Real outward) {
        change += outward * rows(flux)[e] * (rows(q_edge)[e] - here);
      });
      rows.put(q_new, i, here - dt / mass(rows)[i] * change);
    });
  });
}

/// High-order corrections d_e = q_e - q_up: q_e from q and its second derivatives, upwind value q_up of q_old
///   F, q_e (edge, level);  q_old (cell, level) -> d (edge, level)
template <class Real>
void edge_corrections(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                      std::span<const IndexRange> edges, int n_levels, In<Real> flux, In<Real> q,
                      In<Real> derivatives, In<Real> q_old, Out<Real> correction) {
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(correction, e,
             advected_value(mesh, curvature, rows, flux, q, derivatives, e) -
                 upwind(mesh, rows(q_old), rows(flux), e));
  });
}

/// High-order corrections d = q_k+1/2 - q_up at the interfaces of a column; 0 at top and surface.
///   q_padded (level + 2), q_old padded by one layer at each end
template <class Real>
void interface_corrections(int order, In<Real> q, In<Real> flux, In<Real> q_padded, Out<Real> correction) {
  const auto n = q.size();
  interface_values<Real>(order, q, flux, correction);
  for_rows<Real>(n + 1, [&](auto rows) {
    const auto upper = rows(q_padded)[0], lower = rows(q_padded.subspan(1))[0];
    rows.put(correction, 0, rows(correction)[0] - (rows(flux)[0] > Real(0) ? upper : lower));
  });
  correction[0] = correction[n] = 0;
}

/// The upwind solution q_low, and the fractions R+ and R- of the corrections into and out of a layer of a
/// cell with which q_new stays within the range of the neighbours (Zalesak 1979, equations 10 to 13).
template <class Real>
struct FluxLimits {
  std::span<Real> q_low, r_plus, r_minus;  ///< (cell, level)
  std::span<Real> interface_correction;    ///< d (cell, interface)
};

/// min(1, allowed / total), for allowed >= 0
template <class Row>
Row limit_factor(Row allowed, Row total) {
  return total > allowed ? allowed / total : Row{} + 1;
}

/// C M d (`add_limited_corrections`) at the interfaces of a column; 0 at top and surface.
template <class Real>
void limited_interface_fluxes(In<Real> flux, In<Real> correction, In<Real> r_plus, In<Real> r_minus,
                              Out<Real> result) {
  const auto n = r_plus.size();
  result[0] = result[n] = 0;
  for_rows<Real>(n - 1, [&](auto rows) {
    using Row = typename decltype(rows)::Row;
    const Row corrective = rows(flux.subspan(1))[0] * rows(correction.subspan(1))[0];
    const Row down_factor = smaller<Row>(rows(r_minus)[0], rows(r_plus.subspan(1))[0]);
    const Row up_factor = smaller<Row>(rows(r_minus.subspan(1))[0], rows(r_plus)[0]);
    rows.put(result.subspan(1), 0, (corrective > Real(0) ? down_factor : up_factor) * corrective);
  });
}

/// q_low = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_up - q_old) + [M (q_up - q_old)])
/// R+ = min(1, (q_max - q_low) m / (dt sum of incoming F d)), R- = min(1, (q_low - q_min) m / (dt sum of
/// outgoing F d)), with q_max and q_min of q_old in the cell and its neighbours
///   order, dt, F, M, m as in `advect`;  d (edge, level);  q, q_old (cell, level)
template <class Real, class Mass>
void compute_limits(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells, int n_levels,
                    int order, ColumnBuffers<Real>& buffers, Real dt, In<Real> flux, In<Real> vertical_flux,
                    const Mass& mass, In<Real> correction, In<Real> q, In<Real> q_old,
                    const FluxLimits<Real>& limits) {
  const In<Real> q_padded = buffers.layers;
  for_items(cells, [&](LocalIndex i) {
    const auto M = column(vertical_flux, i, n_levels + 1);
    const auto levels = column(q_old, i, n_levels);
    std::ranges::copy(levels, buffers.layers.begin() + 1);
    buffers.layers.front() = levels.front();
    buffers.layers.back() = levels.back();
    const auto interface_correction = column(limits.interface_correction, i, n_levels + 1);
    interface_corrections<Real>(order, column(q, i, n_levels), M, q_padded, interface_correction);
    for_rows<Real>(n_levels, [&](auto rows) {
      using Row = typename decltype(rows)::Row;
      const Row here = rows(q_old)[i], above = rows(q_padded)[0], below = rows(q_padded.subspan(2))[0];
      const Row M_below = rows.below(M)[0], M_above = rows.above(M)[0];
      const Row corrective_below = M_below * rows.below(interface_correction)[0];
      const Row corrective_above = M_above * rows.above(interface_correction)[0];
      Row inflow = positive<Row>(M_above) * (above - here) + positive<Row>(-M_below) * (below - here);
      Row gain = positive<Row>(corrective_above) + positive<Row>(-corrective_below);
      Row loss = positive<Row>(-corrective_above) + positive<Row>(corrective_below);
      Row q_max = larger<Row>(here, larger<Row>(above, below));
      Row q_min = smaller<Row>(here, smaller<Row>(above, below));
      for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
        const Row neighbour = rows(q_old)[other], entering = -outward * rows(flux)[e];
        const Row corrective = entering * rows(correction)[e];
        inflow += positive<Row>(entering) * (neighbour - here);
        gain += positive<Row>(corrective);
        loss += positive<Row>(-corrective);
        q_max = larger<Row>(q_max, neighbour);
        q_min = smaller<Row>(q_min, neighbour);
      });
      const Row factor = dt / mass(rows)[i], q_low = here + factor * inflow;
      const Row rise = larger<Row>(q_max - q_low, Row{}), fall = larger<Row>(q_low - q_min, Row{});
      rows.put(limits.q_low, i, q_low);
      rows.put(limits.r_plus, i, limit_factor<Row>(rise, factor * gain));
      rows.put(limits.r_minus, i, limit_factor<Row>(fall, factor * loss));
    });
  });
}

/// q_new = q_low - dt/m (sum_e n_ei l_e/A_i F_e C_e d_e + [M C d]),  C = min(R- of the donor cell, R+ of the
/// receiving cell) (Zalesak 1979, equation 14)
///   dt, F, M, m as in `advect`;  d (edge, level), limits -> q_new (cell, level)
template <class Real, class Mass>
void add_limited_corrections(const HorizontalMesh<Real>& mesh, std::span<const IndexRange> cells,
                             int n_levels, ColumnBuffers<Real>& buffers, Real dt, In<Real> flux,
                             In<Real> vertical_flux, const Mass& mass, In<Real> correction,
                             const FluxLimits<Real>& limits, Out<Real> q_new) {
  const In<Real> interface_flux = buffers.interfaces;
  for_items(cells, [&](LocalIndex i) {
    limited_interface_fluxes<Real>(
        column(vertical_flux, i, n_levels + 1), column(limits.interface_correction, i, n_levels + 1),
        column(limits.r_plus, i, n_levels), column(limits.r_minus, i, n_levels), buffers.interfaces);
    for_rows<Real>(n_levels, [&](auto rows) {
      using Row = typename decltype(rows)::Row;
      const Row r_plus = rows(limits.r_plus)[i], r_minus = rows(limits.r_minus)[i];
      Row change = rows.below(interface_flux)[0] - rows.above(interface_flux)[0];
      for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
        const Row corrective = outward * rows(flux)[e] * rows(correction)[e];
        const Row out_factor = smaller<Row>(r_minus, rows(limits.r_plus)[other]);
        const Row in_factor = smaller<Row>(r_plus, rows(limits.r_minus)[other]);
        change += (corrective > Real(0) ? out_factor : in_factor) * corrective;
      });
      rows.put(q_new, i, rows(limits.q_low)[i] - dt / mass(rows)[i] * change);
    });
  });
}

}  // namespace halcyon::atmosphere
