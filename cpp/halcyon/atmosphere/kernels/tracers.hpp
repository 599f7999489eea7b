#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "halcyon/atmosphere/kernels/transport.hpp"

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
namespace halcyon::atmosphere {

/// What is summed up over the edges of one cell: a row of the column for each.
template <class Real>
class ColumnSums {
 public:
  enum Sum { mass_share, change, gain, loss, highest, lowest, kSums };

  explicit ColumnSums(int n_levels) : n_levels_(n_levels), interfaces_(n_levels + 1) {
    for (auto& values : sums_) values.resize(n_levels);
  }
  std::span<Real> operator[](Sum sum) { return sums_[sum]; }
  std::span<Real> interfaces() { return interfaces_; }
  int n_levels() const { return n_levels_; }

 private:
  int n_levels_;
  std::array<std::vector<Real>, kSums> sums_;
  std::vector<Real> interfaces_;
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

/// Items of one column of a field (item, level).
template <class Real>
std::span<const Real> column(std::span<const Real> values, LocalIndex item, std::size_t n) {
  return values.subspan(item * n, n);
}
template <class Real>
std::span<Real> column(std::span<Real> values, LocalIndex item, std::size_t n) {
  return values.subspan(item * n, n);
}

/// The cells beside one, edge by edge: its number, the edge, and n_ei l_e / A_i [m-1].
template <class Real, class Visit>
void for_neighbours(const Horizontal<Real>& mesh, LocalIndex i, const Visit& visit) {
  for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    const auto& beside = mesh.cells_on_edge[e];
    visit(beside[0] == i ? beside[1] : beside[0], e, mesh.outward_length[j]);
  }
}

/// q_new = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_e - q_old) + [M (q_k+1/2 - q_old)]),  q_k+1/2 of q
///   order 2 or 3 of q_k+1/2;  dt [s];  F, q_e (edge, level);  M (cell, interface);  m: m(rows)[i], the mass
///   after dt [Pa] (cell, level);  q, q_old (cell, level) -> q_new (cell, level), which may be q or q_old
template <class Real, class Mass>
void carry(const Horizontal<Real>& mesh, const Runs& cells, int order, ColumnSums<Real>& sums, Real dt,
           In<Real> flux, In<Real> vertical_flux, const Mass& mass, In<Real> q_edge, In<Real> q,
           In<Real> q_old, Out<Real> q_new) {
  using Sums = ColumnSums<Real>;
  const auto n = sums.n_levels();
  for_columns_after<Real>(
      cells, n,
      [&](auto rows, LocalIndex i) {
        using Row = typename decltype(rows)::Row;
        const Row here = rows(q_old)[i];
        Row change{};
        for_neighbours(mesh, i, [&](LocalIndex, LocalIndex e, Real outward) {
          change += outward * rows(flux)[e] * (rows(q_edge)[e] - here);
        });
        rows.put(sums[Sums::change], 0, change);
        rows.put(sums[Sums::mass_share], 0, dt / mass(rows)[i]);
      },
      [&](LocalIndex i) {
        const auto M = column(vertical_flux, i, n + 1);
        const auto old = column(q_old, i, n);
        const auto q_between = sums.interfaces(), change = sums[Sums::change], share = sums[Sums::mass_share];
        interface_values<Real>(order, column(q, i, n), M, q_between);
        const auto found = column(q_new, i, n);
        for (int k = 0; k < n; ++k) {
          const Real through = M[k + 1] * (q_between[k + 1] - old[k]) - M[k] * (q_between[k] - old[k]);
          found[k] = old[k] - share[k] * (change[k] + through);
        }
      });
}

/// d_e = q_e - q_up: what upwinded fluxes lack, of the present q and the old one
///   F, q_e (edge, level);  q_old (cell, level) -> d (edge, level)
template <class Real>
void lacks(const Horizontal<Real>& mesh, const Curvature<Real>& curvature, const Runs& edges, int n_levels,
           In<Real> flux, In<Real> q, In<Real> q_old, Out<Real> lack) {
  for_columns<Real>(edges, n_levels, [&](auto rows, LocalIndex e) {
    rows.put(lack, e,
             carried(mesh, curvature, rows(q), rows(flux), e) - upwind(mesh, rows(q_old), rows(flux), e));
  });
}

/// What a tracer is after upwinded fluxes, q_low, and the parts R+ and R- of what else would come into a cell
/// and go out of it that it can take (Zalesak 1979, equations 10 to 13).
template <class Real>
struct Limits {
  std::span<Real> low, raise, lower;  ///< q_low, R+, R- (cell, level)
  std::span<Real> interface_lack;     ///< d at interfaces (cell, interface)
};

/// q_low = q_old - dt/m (sum_e n_ei l_e/A_i F_e (q_up - q_old) + [M (q_up - q_old)])
/// R+ = min(1, (q_max - q_low) m / (dt sum of F d that come in)), R- = min(1, (q_low - q_min) m / (dt sum of
/// F d that go out)), with the largest and smallest q_old of the cell and its neighbours, and q_low
///   order, dt, F, M, m as of `carry`;  d (edge, level);  q, q_old (cell, level)
template <class Real, class Mass>
void limits(const Horizontal<Real>& mesh, const Runs& cells, int order, ColumnSums<Real>& sums, Real dt,
            In<Real> flux, In<Real> vertical_flux, const Mass& mass, In<Real> lack, In<Real> q,
            In<Real> q_old, const Limits<Real>& found) {
  using Sums = ColumnSums<Real>;
  const auto n = sums.n_levels();
  for_columns_after<Real>(
      cells, n,
      [&](auto rows, LocalIndex i) {
        using Row = typename decltype(rows)::Row;
        const Row here = rows(q_old)[i], none{};
        Row change{}, gain{}, loss{}, highest = here, lowest = here;
        for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
          const Row there = rows(q_old)[other], out = outward * rows(flux)[e], more = out * rows(lack)[e];
          change += (out < none ? out : none) * (there - here);
          gain -= more < none ? more : none;
          loss += more > none ? more : none;
          highest = there > highest ? there : highest;
          lowest = there < lowest ? there : lowest;
        });
        rows.put(sums[Sums::change], 0, change);
        rows.put(sums[Sums::gain], 0, gain);
        rows.put(sums[Sums::loss], 0, loss);
        rows.put(sums[Sums::highest], 0, highest);
        rows.put(sums[Sums::lowest], 0, lowest);
        rows.put(sums[Sums::mass_share], 0, dt / mass(rows)[i]);
      },
      [&](LocalIndex i) {
        const auto M = column(vertical_flux, i, n + 1);
        const auto old = column(q_old, i, n);
        const auto lack_between = column(found.interface_lack, i, n + 1);
        const auto low = column(found.low, i, n);
        const auto raise = column(found.raise, i, n), lower = column(found.lower, i, n);
        const auto change = sums[Sums::change], share = sums[Sums::mass_share];
        const auto gain = sums[Sums::gain], loss = sums[Sums::loss];
        const auto highest = sums[Sums::highest], lowest = sums[Sums::lowest];
        interface_values<Real>(order, column(q, i, n), M, lack_between);
        lack_between[0] = lack_between[n] = 0;
        for (int k = 1; k < n; ++k) lack_between[k] -= M[k] > 0 ? old[k - 1] : old[k];
        for (int k = 0; k < n; ++k) {
          const int above = k > 0 ? k - 1 : 0, below = k + 1 < n ? k + 1 : k;
          const Real in_above = std::max(M[k], Real(0)), in_below = std::max(-M[k + 1], Real(0));
          const Real more_above = M[k] * lack_between[k], more_below = M[k + 1] * lack_between[k + 1];
          const Real brought = in_above * (old[above] - old[k]) + in_below * (old[below] - old[k]);
          low[k] = old[k] - share[k] * (change[k] - brought);
          const Real most = std::max({highest[k], old[above], old[below], low[k]});
          const Real least = std::min({lowest[k], old[above], old[below], low[k]});
          const Real all_in = gain[k] + std::max(more_above, Real(0)) + std::max(-more_below, Real(0));
          const Real all_out = loss[k] + std::max(-more_above, Real(0)) + std::max(more_below, Real(0));
          const Real rise = share[k] * all_in, fall = share[k] * all_out;
          const Real room_above = most - low[k], room_below = low[k] - least;
          raise[k] = rise > room_above ? room_above / rise : Real(1);
          lower[k] = fall > room_below ? room_below / fall : Real(1);
        }
      });
}

/// q_new = q_low - dt/m (sum_e n_ei l_e/A_i F_e C_e d_e + [M C d]),  C the smaller of R- where it comes from
/// and R+ where it goes to (Zalesak 1979, equation 14)
///   dt, F, M, m as of `carry`;  d (edge, level), limits -> q_new (cell, level)
template <class Real, class Mass>
void correct(const Horizontal<Real>& mesh, const Runs& cells, ColumnSums<Real>& sums, Real dt, In<Real> flux,
             In<Real> vertical_flux, const Mass& mass, In<Real> lack, const Limits<Real>& limits,
             Out<Real> q_new) {
  using Sums = ColumnSums<Real>;
  const auto n = sums.n_levels();
  for_columns_after<Real>(
      cells, n,
      [&](auto rows, LocalIndex i) {
        using Row = typename decltype(rows)::Row;
        const Row raise = rows(limits.raise)[i], lower = rows(limits.lower)[i], none{};
        Row change{};
        for_neighbours(mesh, i, [&](LocalIndex other, LocalIndex e, Real outward) {
          const Row more = outward * rows(flux)[e] * rows(lack)[e];
          const Row raise_there = rows(limits.raise)[other], lower_there = rows(limits.lower)[other];
          const Row out = lower < raise_there ? lower : raise_there;
          const Row in = raise < lower_there ? raise : lower_there;
          change += (more > none ? out : in) * more;
        });
        rows.put(sums[Sums::change], 0, change);
        rows.put(sums[Sums::mass_share], 0, dt / mass(rows)[i]);
      },
      [&](LocalIndex i) {
        const auto M = column(vertical_flux, i, n + 1);
        const auto lack_between = column(limits.interface_lack, i, n + 1), through = sums.interfaces();
        const auto low = column(limits.low, i, n);
        const auto raise = column(limits.raise, i, n), lower = column(limits.lower, i, n);
        through[0] = through[n] = 0;
        for (int k = 1; k < n; ++k) {
          const Real more = M[k] * lack_between[k];
          const Real down = std::min(lower[k - 1], raise[k]), up = std::min(lower[k], raise[k - 1]);
          through[k] = (more > 0 ? down : up) * more;
        }
        const auto change = sums[Sums::change], share = sums[Sums::mass_share];
        const auto found = column(q_new, i, n);
        for (int k = 0; k < n; ++k)
          found[k] = low[k] - share[k] * (change[k] + through[k + 1] - through[k]);
      });
}

}  // namespace halcyon::atmosphere
