#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/base/rows.hpp"

namespace halcyon::atmosphere {

/// Copies of columns of a field with the first and last level duplicated, so that every level has a neighbour
/// above and below. Columns are loaded some items before they are read, because reading data that were just
/// written with another vector width would stall the CPU (failed store forwarding).
template <class Real>
class PaddedColumns {
 public:
  explicit PaddedColumns(int n_levels) : n_(n_levels + 2), values_(n_ * kSlots) {}

  void load(In<Real> field, LocalIndex item) {
    const auto levels = column(field, item, n_ - 2);
    const auto result = column(Out<Real>(values_), item % kSlots, n_);
    std::ranges::copy(levels, result.begin() + 1);
    result.front() = levels.front();
    result.back() = levels.back();
  }
  In<Real> above(LocalIndex item) const { return column(In<Real>(values_), item % kSlots, n_); }
  In<Real> here(LocalIndex item) const { return above(item).subspan(1); }
  In<Real> below(LocalIndex item) const { return above(item).subspan(2); }

 private:
  static constexpr LocalIndex kSlots = 2 * kPrefetchDistance;

  std::size_t n_;
  std::vector<Real> values_;
};

/// (M_e du)_k / m_e = (M_{k+1/2} (u_{k+1} - u_k) + M_{k-1/2} (u_k - u_{k-1})) / (2 m_e)      (Simmons and
/// Burridge 1981, equation 2.20), k counted downwards, M positive downwards
template <class Real, class Rows, class Mass>
auto vertical_advection(const HorizontalMesh<Real>& mesh, const Rows& rows, In<Real> vertical_flux,
                        const Mass& mass, const PaddedColumns<Real>& u, LocalIndex e) {
  const auto here = rows(u.here(e))[0];
  const auto upper = here - rows(u.above(e))[0], lower = rows(u.below(e))[0] - here;
  return (at_edge(mesh, rows.above(vertical_flux), e) * upper +
          at_edge(mesh, rows.below(vertical_flux), e) * lower) *
         Real(0.5) / at_edge(mesh, mass(rows), e);
}

/// c_p theta'_e grad(Pi); plus grad(phi'): the pressure gradient force relative to the reference atmosphere
template <class Real, class Rows>
auto pressure_force(const HorizontalMesh<Real>& mesh, const Rows& rows, Real heat_capacity,
                    const TileFields<Real>& fields, LocalIndex e) {
  return heat_capacity * at_edge(mesh, rows(fields.theta_perturbation), e) *
         gradient(mesh, rows(fields.exner), e);
}

/// c_p theta_e grad(Pi - Pi_h) + (dp/dpi - 1) grad(phi): the nonhydrostatic part of the pressure gradient
/// force. pi is hydrostatic pressure, Pi_h the Exner function of pi.
template <class Real, class Rows>
auto acceleration_force(const HorizontalMesh<Real>& mesh, const Rows& rows, Real heat_capacity,
                        const AirStateView<Real>& now, const TileFields<Real>& fields, LocalIndex e) {
  const auto upper =
      at_edge(mesh, rows.above(fields.acceleration), e) * gradient(mesh, rows.above(now.phi), e);
  const auto lower =
      at_edge(mesh, rows.below(fields.acceleration), e) * gradient(mesh, rows.below(now.phi), e);
  return heat_capacity * at_edge(mesh, rows(fields.theta_rho), e) *
             gradient(mesh, rows(fields.exner_excess), e) +
         Real(0.5) * (upper + lower);
}

/// u_new = u_old + dt (Q_e - grad(K + phi') - c_p theta'_e grad(Pi) - M du/m - nonhydrostatic part + S)
template <bool kNonhydrostatic, class Real, class Mass>
void air_momentum(std::span<const IndexRange> edges, int n_levels, Real heat_capacity, const Mass& mass,
                  const AirStage<Real>& stage, const TileFields<Real>& fields) {
  const auto& mesh = stage.tile.mesh;
  PaddedColumns<Real> u(n_levels);
  const auto prepare = [&](LocalIndex e) {
    u.load(stage.now.u, e);
    prefetch<Real>(stage.old.u, stage.tile.edges[e], n_levels);
    prefetch<Real>(stage.next.u, stage.tile.edges[e], n_levels);
  };
  for_items(edges, prepare, [&](LocalIndex e) {
    const auto rank_edge = stage.tile.edges[e];
    for_rows<Real, kWideRow<Real>>(n_levels, [&](const auto& rows) {
      auto tendency = vorticity_flux(mesh, rows(fields.flux), rows(fields.pv_edge), e) -
                      gradient(mesh, rows(fields.bernoulli), e) -
                      pressure_force(mesh, rows, heat_capacity, fields, e) -
                      vertical_advection(mesh, rows, fields.vertical_flux, mass, u, e);
      if constexpr (kNonhydrostatic)
        tendency -= acceleration_force(mesh, rows, heat_capacity, stage.now, fields, e);
      if (!stage.dissipation.empty()) tendency += rows(stage.dissipation)[e];
      rows.put(stage.next.u, rank_edge, rows(stage.old.u)[rank_edge] + stage.dt * tendency);
    });
  });
}

/// u_new = (u_new + dt f + dt r u_start) / (1 + dt r): the wind tendency f of the physics, and the sponge,
/// implicit and thus stable for any r
template <class Real>
struct Friction {
  std::vector<Real> sponge;       ///< r [s-1] (level)
  LargeArray<Real> initial_wind;  ///< u_start (owned edge, level); empty without a sponge
};

template <class Real>
void apply_friction(int n_levels, const Friction<Real>& friction, const AirStage<Real>& stage) {
  const Real dt = stage.dt;
  for_items(stage.tile.sweeps.winds, [&](LocalIndex e) {
    const auto first = static_cast<std::size_t>(stage.tile.edges[e]) * n_levels;
    Real* u_new = &stage.next.u[first];
    stage.forcing.add_wind(first, n_levels, dt, &stage.now.u[static_cast<std::size_t>(e) * n_levels], u_new);
    if (friction.initial_wind.empty()) return;
    for (int k = 0; k < n_levels; ++k) {
      const Real damped = dt * friction.sponge[k];
      u_new[k] += damped / (Real(1) + damped) * (friction.initial_wind[first + k] - u_new[k]);
    }
  });
}

/// Slopes b dtheta/dp [K Pa-1] (level) of columns: the change of theta along a level per change of ps, if
/// theta depends on pressure only. p_k = (p_{k-1/2} + p_{k+1/2}) / 2; differences are between the levels
/// above and below, one-sided at the top and the lowest level. Slopes are multiplied by a scale [Pa], the
/// second derivative of ps, which is limited so that the level rises by at most half of the distance of the
/// levels above and below. Computed in batches of columns, because reading data that were just written with
/// another vector width would stall the CPU (failed store forwarding).
template <class Real>
class LevelSlopes {
 public:
  static constexpr LocalIndex kBatch = 16;
  static constexpr Real kMaxSlope = 12;  // times 1/24, the part of second derivatives in edge values: 1/2

  explicit LevelSlopes(const HybridCoefficients<Real>& hybrid)
      : b_(hybrid.mass_a.size()), delta_a_(b_), delta_b_(b_), values_(kBatch * b_.size()) {
    const auto lowest = b_.size() - 1;
    const auto mean = [](const std::vector<Real>& x, std::size_t k) { return Real(0.5) * (x[k] + x[k + 1]); };
    for (std::size_t k = 0; k <= lowest; ++k) {
      const auto above = k == 0 ? k : k - 1, below = k == lowest ? k : k + 1;
      b_[k] = mean(hybrid.b, k);
      delta_a_[k] = mean(hybrid.a, below) - mean(hybrid.a, above);
      delta_b_[k] = mean(hybrid.b, below) - mean(hybrid.b, above);
    }
  }

  /// Computes the slopes of column `slot` of the batch times a scale >= 0 [Pa].
  void compute(LocalIndex slot, Real scale, Real ps, In<Real> theta) {
    const auto n = b_.size();
    const auto values = column(Out<Real>(values_), slot, n);
    const auto slope = [&](std::size_t k, std::size_t above, std::size_t below) {
      return smaller(scale * b_[k] / (delta_a_[k] + delta_b_[k] * ps), kMaxSlope) *
             (theta[below] - theta[above]);
    };
    values[0] = slope(0, 0, 1);
    values[n - 1] = slope(n - 1, n - 2, n - 1);
    for_rows<Real, kWideRow<Real>>(n - 2, [&](const auto& rows) {
      const auto inner = [&](const std::vector<Real>& x) { return rows(In<Real>(x).subspan(1))[0]; };
      const auto slope_row = scale * inner(b_) / (inner(delta_a_) + inner(delta_b_) * ps);
      using Row = std::remove_cvref_t<decltype(slope_row)>;
      const Row maximum = kMaxSlope + Row{},
                limited = where_positive(maximum - slope_row, slope_row, maximum);
      rows.put(values.subspan(1), 0, limited * (rows(theta.subspan(2))[0] - rows(theta)[0]));
    });
  }
  /// The slopes times the scale [K] (slot, level).
  In<Real> values() const { return values_; }

 private:
  std::vector<Real> b_, delta_a_, delta_b_, values_;
};

/// Rows per cell of the result of `theta_derivatives`: the second derivatives, and the slope.
inline constexpr int kThetaDerivatives = kSecondDerivatives + 1;

/// Second derivatives D2 of theta without the contribution of sloping levels, and the slope of theta:
///   D2(theta) - b dtheta/dp D2(ps),   b dtheta/dp [K Pa-1]
/// Over slopes theta varies along a level because the level rises. This variation must be advected with the
/// order of the mass fluxes, which is two, or air of constant pressure is heated spuriously. b dtheta/dp
/// D2(ps) is limited where layers are thin compared with the slope; the limit depends on ps only, since a
/// limit by neighbouring values of theta lets noise grow.
///   theta [K] (cell, level), ps [Pa] (cell) -> [K] (cell, derivative, level)
template <class Real>
[[gnu::flatten]] void theta_derivatives(const Curvature<Real>& curvature, LevelSlopes<Real>& slopes,
                                        std::span<const IndexRange> cells, int n_levels, In<Real> theta,
                                        In<Real> ps, Out<Real> result) {
  // D2(ps) / scale (slot: column of the batch)
  std::array<operators::SecondDerivatives<Real>, LevelSlopes<Real>::kBatch> directions;
  std::array<Real, LevelSlopes<Real>::kBatch> inverse_scales;
  const auto last_cell = static_cast<LocalIndex>(ps.size()) - 1;
  const auto compute_slopes = [&](LocalIndex i, LocalIndex slot) {
    prefetch<Real>(theta, std::min<LocalIndex>(i + LevelSlopes<Real>::kBatch, last_cell), n_levels);
    auto& direction = directions[slot] = second_derivatives(curvature, LevelBlock<Real, 1>(1, 0)(ps), i);
    const Real scale = operators::twice_largest(direction);
    for (auto& component : direction) component = scale > 0 ? component / scale : Real{0};
    inverse_scales[slot] = scale > 0 ? 1 / scale : Real{0};
    slopes.compute(slot, scale, ps[i], column(theta, i, n_levels));
  };
  const auto derive = [&](LocalIndex i, LocalIndex slot) {
    for_rows<Real, 2 * kLanes<Real>>(n_levels, [&](const auto& rows) {
      const auto sums = second_derivatives(curvature, rows(theta), i);
      const auto level_slope = rows(slopes.values())[slot];
      for (int c = 0; c < kSecondDerivatives; ++c)
        rows.put(result, kThetaDerivatives * i + c, sums[c] - directions[slot][c] * level_slope);
      rows.put(result, kThetaDerivatives * i + kSecondDerivatives, inverse_scales[slot] * level_slope);
    });
  };
  for (const auto [begin, end] : cells) {
    for (auto batch_begin = begin; batch_begin < end; batch_begin += slopes.kBatch) {
      const auto n = std::min(slopes.kBatch, end - batch_begin);
      for (LocalIndex slot = 0; slot < n; ++slot) compute_slopes(batch_begin + slot, slot);
      for (LocalIndex slot = 0; slot < n; ++slot) derive(batch_begin + slot, slot);
    }
  }
}

/// F theta_e, with theta_e of third order (operators::third_order_value), or for order 2, without
/// derivatives, the mean of both cells. The shift of theta to the middle of the edge is also without the
/// contribution of sloping levels, since the mass fluxes are those of the middle between the cells.
///   F [Pa m s-1] (edge, level), theta [K] (cell, level), ps [Pa] (cell), derivatives: theta_derivatives
///   -> F theta_e (edge, level)
template <class Real>
[[gnu::flatten]] void heat_flux(const HorizontalMesh<Real>& mesh, const Curvature<Real>& curvature,
                                std::span<const IndexRange> edges, int n_levels, In<Real> flux,
                                In<Real> theta, In<Real> ps, In<Real> derivatives, Out<Real> result) {
  for_columns<Real, kWideRow<Real>>(edges, n_levels, [&](const auto& rows, LocalIndex e) {
    auto value = at_edge(mesh, rows(theta), e);
    if (!derivatives.empty()) {
      const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
      const auto slope = [&](LocalIndex i) {
        return rows(derivatives)[kThetaDerivatives * i + kSecondDerivatives];
      };
      const Real rise = Real(0.5) * shift(mesh, curvature, LevelBlock<Real, 1>(1, 0)(ps), e);
      value += shift(mesh, curvature, rows(theta), e) - rise * (slope(cell_1) + slope(cell_2));
      value =
          operators::third_order_value<kThetaDerivatives>(mesh, curvature, rows, flux, value, derivatives, e);
    }
    rows.put(result, e, rows(flux)[e] * value);
  });
}

}  // namespace halcyon::atmosphere
