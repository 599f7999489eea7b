#include <cmath>

#include "halcyon/atmosphere/air/columns.hpp"
#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/atmosphere/kernels/air.hpp"
#include "halcyon/base/power.hpp"

namespace halcyon::atmosphere {

namespace {

/// Nonhydrostatic columns, in coordinates of hydrostatic pressure (Laprise 1992): they hold the vertical wind
/// and the geopotential at interfaces, and solve implicitly for vertical sound waves.
template <class Real>
class NonhydrostaticColumns final : public AirColumns<Real> {
  using Base = AirColumns<Real>;
  using Base::columns, Base::row, Base::interface, Base::layer, Base::mass;
  using Base::options_, Base::hybrid_, Base::n_levels_, Base::gravity_, Base::ps_new_, Base::down_,
      Base::theta_, Base::theta_new_, Base::exner_, Base::reference_, Base::thickness_;
  using typename Base::Row, typename Base::Column, typename Base::Cells, typename Base::Stage,
      typename Base::Fields, typename Base::Gathered, typename Base::Layer;

 public:
  static constexpr bool kHasInterfaces = true;

  NonhydrostaticColumns(const AirOptions& options, double gravity, const Scheme& scheme)
      : Base(options, gravity, scheme) {
    for (int k = 0; k <= n_levels_; ++k) {
      const double pressure = options.hybrid.interface(k, options.air.reference_pressure);
      damping_.push_back(static_cast<Real>(options.sponge.at(pressure, options.hybrid.top())));
    }
    this->make_columns({&height_, &depth_, &excess_, &w_tendency_, &phi_tendency_, &predicted_, &stiffness_,
                        &share_, &upper_, &rest_});
  }

  void momentum(std::span<const Run> edges, const Stage& stage, const Fields& fields) const override {
    air_momentum<true>(edges, n_levels_, static_cast<Real>(options_.air.heat_capacity),
                       LayerMass<Real>(hybrid_, stage.now.ps), stage, fields);
  }

  /// The pressure is that of the equation of state.
  Layer layer_of(const AirNumbers<Real>& now, LocalIndex cell, int k, double down) const override {
    const auto& air = options_.air;
    const auto at = static_cast<std::size_t>(cell);
    const double theta = now.theta[at * n_levels_ + k], m = options_.hybrid.mass(k, now.ps[cell]);
    const double up = now.phi[at * (n_levels_ + 1) + k];
    const double specific = air.gas_constant * theta * m / (up - down);
    const double pressure = air.reference_pressure * std::pow(specific / air.reference_pressure, air.gamma());
    return {pressure, std::pow(pressure / air.reference_pressure, air.kappa()), up};
  }

  /// w^2/2 + c_v T + phi
  double energy(const AirNumbers<Real>& now, LocalIndex cell, int k, double temperature,
                double height) const override {
    const auto at = static_cast<std::size_t>(cell) * (n_levels_ + 1) + k;
    const double above = now.w[at], below = now.w[at + 1];
    const double heat_at_volume = options_.air.heat_capacity - options_.air.gas_constant;
    return (above * above + below * below) / 4 + heat_at_volume * temperature + height;
  }
  /// p_top phi_top
  double boundary_energy(double, double, double top_height) const override {
    return options_.hybrid.top() * top_height;
  }

 protected:
  void find_geopotential(const Cells& cells, const Stage& stage, Fields& fields) override {
    find_pressure(cells, stage, fields);
    this->balance(cells, stage, fields, [&](int k, const Row&, const Row&) { return height_[k]; });
    lift(cells, stage, fields);
  }
  void balance_heat(const Cells& cells, Fields& fields) override;
  void advance_interfaces(const Cells& cells, const Stage& stage, Fields& fields) override {
    gather_interfaces(cells, stage, fields);
    carry_interfaces(cells, stage);
    sound(cells, stage, fields);
  }

 private:
  void find_pressure(const Cells& cells, const Stage& stage, Fields& fields);
  void lift(const Cells& cells, const Stage& stage, Fields& fields);
  void gather_interfaces(const Cells& cells, const Stage& stage, Fields& fields);
  void carry_interfaces(const Cells& cells, const Stage& stage);
  void sound(const Cells& cells, const Stage& stage, Fields& fields);
  Row mass_around(int k, Row ps) const;

  std::vector<Real> damping_;  ///< of the vertical wind [s-1] (interface)
  // Of the batch under way: by level or interface.
  Column height_, depth_, excess_, w_tendency_, phi_tendency_, predicted_, stiffness_, share_, upper_, rest_;
};

/// The equation of state, Pi = (R theta m / (p0 dphi))^(R/c_v) and p = R Pi theta m / dphi, by what it has
/// beyond that of hydrostatic air. With dphi_h = R Pi_h theta m / p_h
///   Pi / Pi_h = (dphi_h / dphi)^(R/c_v),   p / p_h = (dphi_h / dphi) Pi / Pi_h
template <class Real>
void NonhydrostaticColumns<Real>::find_pressure(const Cells& cells, const Stage& stage, Fields& fields) {
  const auto exponent = static_cast<Real>(options_.air.gamma() - 1);
  const LaneField<Real> theta(stage.now.theta, cells, n_levels_), phi(stage.now.phi, cells, n_levels_ + 1),
      excess(fields.excess, cells, n_levels_);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0],
            ground = LaneField<Real>(fields.ground, cells, 1)[0];
  Row up = phi[0];
  for (int k = 0; k < n_levels_; ++k) {
    const Row down = k + 1 < n_levels_ ? phi[k + 1] : ground;
    depth_[k] = up - down;
    const Row more = (theta[k] * thickness_[k] - depth_[k]) / depth_[k];
    const Row warmer = power_less_one<Real>(more, exponent);
    excess.put(k, exner_[k] * warmer);
    excess_[k] = layer(k, ps) * (more + warmer + more * warmer);
    height_[k] = up - reference_[k];
    up = down;
  }
}

/// The mass around an interface: half of the layers beside it.
template <class Real>
auto NonhydrostaticColumns<Real>::mass_around(int k, Row ps) const -> Row {
  const Row above = k > 0 ? mass(k - 1, ps) : Row{}, below = k < n_levels_ ? mass(k, ps) : Row{};
  return Real(0.5) * (above + below);
}

/// dp/dpi - 1 at interfaces; at the ground that of the interface above.
template <class Real>
void NonhydrostaticColumns<Real>::lift(const Cells& cells, const Stage& stage, Fields& fields) {
  const LaneField<Real> found(fields.lift, cells, n_levels_ + 1);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0];
  Row above{}, last{};
  for (int k = 0; k < n_levels_; ++k) {
    last = (excess_[k] - above) / mass_around(k, ps);
    found.put(k, last);
    above = excess_[k];
  }
  found.put(n_levels_, last);
}

/// With the mean dp/dpi of a layer's interfaces, 1 at the top and the ground, where nothing passes.
template <class Real>
void NonhydrostaticColumns<Real>::balance_heat(const Cells& cells, Fields& fields) {
  const LaneField<Real> lift(fields.lift, cells, n_levels_ + 1), excess(fields.excess, cells, n_levels_);
  const auto inside = [&](int at) { return at > 0 && at < n_levels_; };
  const auto stretch = [&](int k) {
    return Real(1) + Real(0.5) * ((inside(k) ? lift[k] : Row{}) + (inside(k + 1) ? lift[k + 1] : Row{}));
  };
  this->balance_heat_by([&](int k) { return stretch(k) * depth_[k]; },
                        [&](int k) { return exner_[k] + excess[k]; });
}

/// What the flux of a level carries of w and phi past the interfaces above and below it: half of
///   div(F X_e) - X div(F) = (1/A_i) sum_e n_ei l_e F_e (X_j - X_i) / 2
template <class Real>
void NonhydrostaticColumns<Real>::gather_interfaces(const Cells& cells, const Stage& stage, Fields& fields) {
  const auto& mesh = stage.tile.mesh;
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    for_rows<Real, 2 * kLanes<Real>>(n_levels_, [&](const auto& rows) {
      using Levels = typename std::remove_cvref_t<decltype(rows)>::Row;
      std::array<Levels, 4> sums{};
      const auto flux = rows(fields.flux);
      const std::array carried{rows.above(stage.now.w), rows.below(stage.now.w), rows.above(stage.now.phi),
                               rows.below(stage.now.phi)};
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
        const auto e = mesh.edges_on_cell[j];
        const auto [first, second] = mesh.cells_on_edge[e];
        const auto other = first == i ? second : first;
        const Levels share = Real(0.25) * mesh.outward_length[j] * flux[e];
        for (int c = 0; c < 4; ++c) sums[c] += share * (carried[c][other] - carried[c][i]);
      }
      for (int c = 0; c < 4; ++c)
        rows.put(row(static_cast<Gathered>(Base::kUpperWind + c), lane), 0, sums[c]);
    });
  }
}

/// dX/dt = -(div(F X_e) - X div(F) + (M X)_k - (M X)_{k-1} - X (M_k - M_{k-1})) / m  at interfaces, X = w,
/// phi
template <class Real>
void NonhydrostaticColumns<Real>::carry_interfaces(const Cells& cells, const Stage& stage) {
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0];
  const auto carry = [&](std::span<Real> field, Gathered upper, Gathered lower, Column& tendency) {
    const LaneField<Real> x(field, cells, n_levels_ + 1);
    const auto beside_upper = columns(upper), beside_lower = columns(lower);
    Row fall{}, here = x[0];
    for (int k = 0; k <= n_levels_; ++k) {
      Row sum = k < n_levels_ ? beside_upper[k] : Row{};
      if (k > 0) sum += beside_lower[k - 1];
      const Row next = k < n_levels_ ? x[k + 1] : here, fall_below = next - here;
      if (k > 0 && k < n_levels_) {
        const Row below = Real(0.25) * (down_[k] + down_[k + 1]),
                  above = Real(0.25) * (down_[k - 1] + down_[k]);
        sum += below * fall_below + above * fall;
      }
      tendency[k] = -sum / mass_around(k, ps);
      fall = fall_below, here = next;
    }
  };
  carry(stage.now.w, Base::kUpperWind, Base::kLowerWind, w_tendency_);
  carry(stage.now.phi, Base::kUpperHeight, Base::kLowerHeight, phi_tendency_);
}

/// Off-centred by beta, x = w_new - w_old, phi_p = phi_old + dt (phi' + g w_old):
///   w_new   = w_old + dt (w' + g (1 - beta) (dp/dpi - 1)_old + g beta (dp/dpi - 1)_new)
///   phi_new = phi_p + dt g beta x,   p_new = p_* - c (dphi_new - dphi(p_*)),   c = gamma p_* / dphi(p_*)
/// a tridiagonal system in each column. The equation of state is linear about p_*, hydrostatic pressure with
/// what p has beyond it now: that is near p_new however far a long step takes phi_p from phi_new, as it does
/// in thin layers over slopes. With p and dphi as they are now
///   dphi(p_*) = dphi (theta_new m_new) / (theta m) (p_* / p)^(-1/gamma)
/// At the ground w = u . grad(phi_s) / g.
template <class Real>
void NonhydrostaticColumns<Real>::sound(const Cells& cells, const Stage& stage, Fields& fields) {
  const int n = n_levels_;
  const auto gamma = static_cast<Real>(options_.air.gamma());
  const auto beta = static_cast<Real>(options_.off_centring);
  const Real dt = stage.dt, implicit = dt * gravity_ * beta, explicit_part = dt * gravity_ * (1 - beta);
  const Cells places = this->of_rank(cells, stage);
  const LaneField<Real> w_old(stage.old.w, places, n + 1), phi_old(stage.old.phi, places, n + 1),
      w_new(stage.next.w, places, n + 1), phi_new(stage.next.phi, places, n + 1),
      lift(fields.lift, cells, n + 1), lift_old(stage.lift_old, places, n + 1);

  predicted_[n] = LaneField<Real>(fields.ground, cells, 1)[0];
  for (int k = n - 1; k >= 0; --k) predicted_[k] = phi_old[k] + dt * (phi_tendency_[k] + gravity_ * w_old[k]);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0];
  for (int k = 0; k < n; ++k) {
    const Row held = theta_[k] * mass(k, ps), rise = layer(k, ps_new_) - layer(k, ps);
    const Row pressure = layer(k, ps) + excess_[k], over = Real(1) / (held * pressure);
    const Row squeezed = power_less_one<Real>(rise * held * over, -1 / gamma);
    const Row depth = depth_[k] * theta_new_[k] * mass(k, ps_new_) * pressure * over * (Real(1) + squeezed);
    stiffness_[k] = gamma * (pressure + rise) / depth;
    excess_[k] += stiffness_[k] * (depth - (predicted_[k] - predicted_[k + 1]));
  }
  Row above{};
  for (int k = 0; k < n; ++k) {
    if (stage.is_first) lift_old.put(k, lift[k]);
    const Row over_mass = Real(1) / mass_around(k, ps_new_);
    share_[k] = implicit * implicit * over_mass;
    rest_[k] = dt * w_tendency_[k] + explicit_part * lift_old[k] +
               implicit * (excess_[k] - above) * over_mass - lanes_of(dt * damping_[k]) * w_old[k];
    above = excess_[k];
  }
  Row stiff_above{}, upper{}, rest{};
  for (int k = 0; k < n; ++k) {
    const Row lower = -share_[k] * stiff_above, damped = lanes_of(dt * damping_[k]);
    const Row pivot =
        Real(1) / (Real(1) + damped + share_[k] * (stiffness_[k] + stiff_above) - lower * upper);
    upper = k + 1 < n ? -share_[k] * stiffness_[k] * pivot : Row{};
    rest = (rest_[k] - lower * rest) * pivot;
    upper_[k] = upper, rest_[k] = rest;
    stiff_above = stiffness_[k];
  }
  w_new.put(n, -phi_tendency_[n] / gravity_);
  Row x{};
  for (int k = n - 1; k >= 0; --k) {
    x = rest_[k] - upper_[k] * x;
    const Row wind = w_old[k] + x;
    phi_new.put(k, predicted_[k] + implicit * x);
    w_new.put(k, wind);
  }
}

}  // namespace

EquationSet nonhydrostatic_set() {
  return air_set<NonhydrostaticColumns>(
      {.name = "nonhydrostatic",
       .text = "Air whose vertical acceleration counts, with implicit vertical sound waves.",
       .references =
           "Laprise (1992, Mon. Weather Rev. 120); Zhang et al. (2019, J. Adv. Model. Earth Syst. 11)",
       .options = {number(
           "off_centring", AirOptions{}.off_centring,
           "Part of the later time in the implicit vertical steps of nonhydrostatic; 0.5 is centred.", "",
           0.5, 1)}},
      {.bytes = 1900, .longest_step_s = 10'000, .halo_work = 0.6});
}

}  // namespace halcyon::atmosphere
