#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/rows.hpp"

namespace halcyon::atmosphere {

/// Some columns of a field with their ends twice, so that what lies above and below a level is there at all
/// levels. Each is taken some items before it is read: what has just been written is waited for where it is
/// read in other pieces.
template <class Real>
class PaddedColumns {
 public:
  explicit PaddedColumns(int n_levels) : n_(n_levels + 2), values_(n_ * kHeld) {}

  void take(In<Real> field, LocalIndex item) {
    const auto levels = column(field, item, n_ - 2);
    const auto found = column(Out<Real>(values_), item % kHeld, n_);
    std::ranges::copy(levels, found.begin() + 1);
    found.front() = levels.front();
    found.back() = levels.back();
  }
  In<Real> above(LocalIndex item) const { return column(In<Real>(values_), item % kHeld, n_); }
  In<Real> here(LocalIndex item) const { return above(item).subspan(1); }
  In<Real> below(LocalIndex item) const { return above(item).subspan(2); }

 private:
  static constexpr LocalIndex kHeld = 2 * kAhead;

  std::size_t n_;
  std::vector<Real> values_;
};

/// (M_e du)_k / m_e = (M_{k+1/2} (u_{k+1} - u_k) + M_{k-1/2} (u_k - u_{k-1})) / (2 m)      (Simmons and
/// Burridge 1981, equation 2.20)
template <class Real, class Rows, class Mass>
auto vertical_advection(const HorizontalMesh<Real>& mesh, const Rows& rows, In<Real> vertical_flux,
                        const Mass& mass, const PaddedColumns<Real>& u, LocalIndex e) {
  const auto here = rows(u.here(e))[0];
  const auto upper = here - rows(u.above(e))[0], lower = rows(u.below(e))[0] - here;
  return (at_edge(mesh, rows.above(vertical_flux), e) * upper +
          at_edge(mesh, rows.below(vertical_flux), e) * lower) *
         Real(0.5) / at_edge(mesh, mass(rows), e);
}

/// c_p theta'_e grad(Pi): with grad(phi') the force of pressure, less that in the reference atmosphere
template <class Real, class Rows>
auto pressure_force(const HorizontalMesh<Real>& mesh, const Rows& rows, Real heat_capacity,
                    const AirFields<Real>& fields, LocalIndex e) {
  return heat_capacity * at_edge(mesh, rows(fields.warmth), e) * gradient(mesh, rows(fields.exner), e);
}

/// c_p theta_e grad(Pi - Pi_h) + (dp/dpi - 1) grad(phi): what the vertical acceleration adds to it
template <class Real, class Rows>
auto acceleration_force(const HorizontalMesh<Real>& mesh, const Rows& rows, Real heat_capacity,
                        const AirNumbers<Real>& now, const AirFields<Real>& fields, LocalIndex e) {
  const auto upper = at_edge(mesh, rows.above(fields.lift), e) * gradient(mesh, rows.above(now.phi), e);
  const auto lower = at_edge(mesh, rows.below(fields.lift), e) * gradient(mesh, rows.below(now.phi), e);
  return heat_capacity * at_edge(mesh, rows(now.theta), e) * gradient(mesh, rows(fields.excess), e) +
         Real(0.5) * (upper + lower);
}

/// u_new = u_old + dt (Q_e - grad(K + phi') - c_p theta'_e grad(Pi) - M du/m - ...)
template <bool kNonhydrostatic, class Real, class Mass>
void air_momentum(std::span<const Run> edges, int n_levels, Real heat_capacity, const Mass& mass,
                  const AirStage<Real>& stage, const AirFields<Real>& fields) {
  const auto& mesh = stage.tile.mesh;
  PaddedColumns<Real> u(n_levels);
  const auto prepare = [&](LocalIndex e) {
    u.take(stage.now.u, e);
    fetch<Real>(stage.old.u, stage.tile.edges[e], n_levels);
    fetch<Real>(stage.next.u, stage.tile.edges[e], n_levels);
  };
  for_items(edges, prepare, [&](LocalIndex e) {
    const auto place = stage.tile.edges[e];
    for_rows<Real, kWide<Real>>(n_levels, [&](const auto& rows) {
      auto push = vorticity_flux(mesh, rows(fields.flux), rows(fields.pv_edge), e) -
                  gradient(mesh, rows(fields.bernoulli), e) -
                  pressure_force(mesh, rows, heat_capacity, fields, e) -
                  vertical_advection(mesh, rows, fields.vertical_flux, mass, u, e);
      if constexpr (kNonhydrostatic)
        push -= acceleration_force(mesh, rows, heat_capacity, stage.now, fields, e);
      rows.put(stage.next.u, place, rows(stage.old.u)[place] + stage.dt * push);
    });
  });
}

/// u_new = (u_new - dt k_v u + dt r u_start) / (1 + dt r): the friction of Held and Suarez (1994),
/// k_v = max(0, (p/ps - 0.7)/0.3) per day, and the sponge, implicit so that no r is too much for a step
template <class Real>
struct Friction {
  std::vector<Real> sponge;  ///< r [s-1] (level)
  Large<Real> start;         ///< (owned edge, level), where there is a sponge
  bool ground = false;
};

template <class Real>
void rub(int n_levels, const Friction<Real>& friction, const HybridRows<Real>& hybrid,
         const AirStage<Real>& stage) {
  const auto& [ps, u, theta, w, phi] = stage.now;
  const Real dt = stage.dt;
  for_items(stage.tile.sweeps.winds, [&](LocalIndex e) {
    const auto [first, second] = stage.tile.mesh.cells_on_edge[e];
    const Real surface = Real(0.5) * (ps[first] + ps[second]);
    for (int k = 0; k < n_levels; ++k) {
      const auto at = static_cast<std::size_t>(stage.tile.edges[e]) * n_levels + k;
      Real& u_new = stage.next.u[at];
      if (friction.ground) {
        const Real p =
            Real(0.5) * (hybrid.a[k] + hybrid.a[k + 1] + (hybrid.b[k] + hybrid.b[k + 1]) * surface);
        u_new -= dt * std::max(Real(0), (p / surface - Real(0.7)) / Real(0.3)) / Real(86400) *
                 u[static_cast<std::size_t>(e) * n_levels + k];
      }
      if (friction.start.empty()) continue;
      const Real damped = dt * friction.sponge[k];
      u_new += damped / (Real(1) + damped) * (friction.start[at] - u_new);
    }
  });
}

/// b dtheta/dp [K Pa-1] (level) of columns: how theta changes along a level with ps where it is a function of
/// pressure alone. p_k = (p_{k-1/2} + p_{k+1/2}) / 2; of the top and the lowest level with the one beside it,
/// else between those beside it. Times a number [Pa], second derivatives of ps, of which no more counts than
/// what raises the level by half of that distance. Of a few columns at once: what has just been written is
/// waited for where it is read in other pieces.
template <class Real>
class SlopeOfLevels {
 public:
  static constexpr LocalIndex kAtOnce = 16;
  static constexpr Real kMost = 12;  // an edge takes a 24th of second derivatives

  explicit SlopeOfLevels(const HybridRows<Real>& hybrid)
      : share_(hybrid.mass_a.size()), across_a_(share_), across_b_(share_), values_(kAtOnce * share_.size()) {
    const auto last = share_.size() - 1;
    const auto mean = [](const std::vector<Real>& of, std::size_t k) {
      return Real(0.5) * (of[k] + of[k + 1]);
    };
    for (std::size_t k = 0; k <= last; ++k) {
      const auto up = k == 0 ? k : k - 1, down = k == last ? k : k + 1;
      share_[k] = mean(hybrid.b, k);
      across_a_[k] = mean(hybrid.a, down) - mean(hybrid.a, up);
      across_b_[k] = mean(hybrid.b, down) - mean(hybrid.b, up);
    }
  }

  /// Those of a column times a number, which is not negative.
  void take(LocalIndex place, Real number, Real ps, In<Real> theta) {
    const auto n = share_.size();
    const auto values = column(Out<Real>(values_), place, n);
    const auto slope = [&](std::size_t k, std::size_t up, std::size_t down) {
      return smaller(number * share_[k] / (across_a_[k] + across_b_[k] * ps), kMost) *
             (theta[down] - theta[up]);
    };
    values[0] = slope(0, 0, 1);
    values[n - 1] = slope(n - 1, n - 2, n - 1);
    for_rows<Real, kWide<Real>>(n - 2, [&](const auto& rows) {
      const auto inner = [&](const std::vector<Real>& of) { return rows(In<Real>(of).subspan(1))[0]; };
      const auto rises = number * inner(share_) / (inner(across_a_) + inner(across_b_) * ps);
      using Row = std::remove_cvref_t<decltype(rises)>;
      const Row most = kMost + Row{}, kept = where_positive(most - rises, rises, most);
      rows.put(values.subspan(1), 0, kept * (rows(theta.subspan(2))[0] - rows(theta)[0]));
    });
  }
  /// (place, level)
  In<Real> operator()() const { return values_; }

 private:
  std::vector<Real> share_, across_a_, across_b_, values_;
};

/// The second derivatives of what theta is beside a function of pressure:
///   D2(theta) - b dtheta/dp D2(ps)
/// Mass crosses an edge by second order, and what goes through levels follows from it. Over slopes theta
/// changes along a level because the level rises: that part must be carried by the same order as mass, or
/// air that keeps its pressure is heated. Where layers are thin beside the slope, how much of it counts
/// follows from ps alone: a bound by the theta of neighbours would let noise grow where it holds.
///   theta [K] (cell, level), ps [Pa] (cell) -> [K] (cell, derivative, level)
template <class Real>
[[gnu::flatten]] void heat_second_derivatives(const Curvature<Real>& curvature, SlopeOfLevels<Real>& slope,
                                              std::span<const Run> cells, int n_levels, In<Real> theta,
                                              In<Real> ps, Out<Real> found) {
  std::array<operators::SecondDerivatives<Real>, SlopeOfLevels<Real>::kAtOnce> directions;
  const auto last = static_cast<LocalIndex>(ps.size()) - 1;
  const auto take = [&](LocalIndex i, LocalIndex place) {
    fetch<Real>(theta, std::min<LocalIndex>(i + SlopeOfLevels<Real>::kAtOnce, last), n_levels);
    auto& direction = directions[place] = second_derivatives(curvature, Block<Real, 1>(1, 0)(ps), i);
    const Real size = operators::largest(direction);
    for (auto& share : direction) share = size > 0 ? share / size : Real{0};
    slope.take(place, size, ps[i], column(theta, i, n_levels));
  };
  const auto derive = [&](LocalIndex i, LocalIndex place) {
    for_rows<Real, 2 * kLanes<Real>>(n_levels, [&](const auto& rows) {
      const auto sums = second_derivatives(curvature, rows(theta), i);
      const auto of_level = rows(slope())[place];
      for (int c = 0; c < kSecondDerivatives; ++c)
        rows.put(found, kSecondDerivatives * i + c, sums[c] - directions[place][c] * of_level);
    });
  };
  for (const auto [begin, end] : cells) {
    for (auto from = begin; from < end; from += slope.kAtOnce) {
      const auto n = std::min(slope.kAtOnce, end - from);
      for (LocalIndex place = 0; place < n; ++place) take(from + place, place);
      for (LocalIndex place = 0; place < n; ++place) derive(from + place, place);
    }
  }
}

}  // namespace halcyon::atmosphere
