#include "halcyon/atmosphere/air/columns.hpp"

#include <cmath>

#include "halcyon/atmosphere/kernels/reference_atmosphere.hpp"
#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/power.hpp"

namespace halcyon::atmosphere {

double Sponge::at(double where, double top) const {
  if (where >= pressure) return 0;
  const double depth = std::log(pressure / where) / std::log(pressure / top);
  const double sine = std::sin(kPi / 2 * depth);
  return rate * sine * sine;
}

namespace {

/// The numbers that cells of a tile have in the rank's fields.
template <class Real>
Items<Real> of_rank(Items<Real> cells, const AirStage<Real>& stage) {
  for (auto& cell : cells) cell = stage.tile.cells[cell];
  return cells;
}

}  // namespace

template <class Real>
AirColumns<Real>::AirColumns(const AirOptions& options, double gravity, const Scheme& scheme)
    : options_(options),
      hybrid_(options.hybrid),
      n_levels_(options.hybrid.n_levels()),
      order_(scheme.transport_order),
      gravity_(static_cast<Real>(gravity)),
      gathered_(static_cast<std::size_t>(kGathered) * kLanes<Real> * (n_levels_ + 1)) {
  const auto& hybrid = options.hybrid;
  for (int k = 0; k <= n_levels_; ++k) {
    const double pressure = hybrid.interface(k, options.air.reference_pressure);
    damping_.push_back(static_cast<Real>(options.sponge.at(pressure, hybrid.top())));
  }
  for (auto* column :
       {&down_, &theta_, &theta_new_, &heating_, &reference_, &exner_, &thickness_, &height_, &depth_,
        &excess_, &w_tendency_, &phi_tendency_, &predicted_, &stiffness_, &share_, &upper_, &rest_})
    column->assign(n_levels_ + 1, Row{});
}

template <class Real>
void AirColumns<Real>::diagnose(const Cells& cells, const Stage& stage, Fields& fields) {
  gather(cells, stage, fields);
  descend(cells, stage, fields);
  balance(cells, stage, fields);
  if (options_.nonhydrostatic) lift(cells, stage, fields);
}

template <class Real>
void AirColumns<Real>::diagnose(std::span<const Run> cells, const Stage& stage, Fields& fields) {
  for_batches<Real>(cells, [&](const Cells& batch) { diagnose(batch, stage, fields); });
}

template <class Real>
void AirColumns<Real>::advance(std::span<const Run> cells, const Stage& stage, Fields& fields) {
  for_batches<Real>(cells, [&](const Cells& batch) {
    diagnose(batch, stage, fields);
    gather_heat(batch, stage, fields);
    heat(batch, stage);
    if (!options_.nonhydrostatic) return;
    gather_interfaces(batch, stage, fields);
    carry_interfaces(batch, stage);
    sound(batch, stage, fields);
  });
}

template <class Real>
std::span<Real> AirColumns<Real>::row(Gathered which, int lane) {
  const std::size_t n = n_levels_ + 1, at = (static_cast<std::size_t>(which) * kLanes<Real> + lane) * n;
  return std::span(gathered_).subspan(at, n);
}

template <class Real>
LaneField<Real> AirColumns<Real>::columns(Gathered which) {
  Cells lanes;
  for (int lane = 0; lane < kLanes<Real>; ++lane) lanes[lane] = which * kLanes<Real> + lane;
  return {std::span(gathered_), lanes, n_levels_ + 1};
}

/// D = div(F) and K.
template <class Real>
void AirColumns<Real>::gather(const Cells& cells, const Stage& stage, Fields& fields) {
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane], place = stage.tile.cells[i];
    fetch<Real>(stage.old.theta, place, n_levels_);
    fetch<Real>(stage.next.theta, place, n_levels_);
    if (options_.nonhydrostatic)
      for (const auto* state : {&stage.old, &stage.next})
        for (const auto field : {state->w, state->phi}) fetch<Real>(field, place, n_levels_ + 1);
    const auto outflow = row(kDivergence, lane), energy = row(kKinetic, lane);
    for_rows<Real, kWide<Real>>(n_levels_, [&](const auto& rows) {
      rows.put(outflow, 0, divergence(stage.tile.mesh, rows(fields.flux), i));
      rows.put(energy, 0, kinetic_energy(stage.tile.energy, rows(stage.now.u), i));
    });
  }
}

/// div(F theta), and theta at interfaces
template <class Real>
void AirColumns<Real>::gather_heat(const Cells& cells, const Stage& stage, Fields& fields) {
  const auto theta = [&](LocalIndex i) { return column<Real>(In<Real>(stage.now.theta), i, n_levels_); };
  // Not at once for each cell: what has just been written is waited for where it is read in other pieces.
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    for_rows<Real, kWide<Real>>(n_levels_, [&](const auto& rows) {
      rows.put(row(kHeat, lane), 0, divergence(stage.tile.mesh, rows(fields.heat_flux), i));
    });
  }
  if (options_.keep_energy) return balance_heat(cells, fields);
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    interface_values<Real>(order_, theta(i), column<Real>(In<Real>(fields.vertical_flux), i, n_levels_ + 1),
                           row(kBetween, lane));
  }
  for (int lane = 0; lane < kLanes<Real>; ++lane) keep_between<Real>(theta(cells[lane]), row(kBetween, lane));
}

/// What the flux of a level carries of w and phi past the interfaces above and below it: half of
///   div(F X_e) - X div(F) = (1/A_i) sum_e n_ei l_e F_e (X_j - X_i) / 2
template <class Real>
void AirColumns<Real>::gather_interfaces(const Cells& cells, const Stage& stage, Fields& fields) {
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
      for (int c = 0; c < 4; ++c) rows.put(row(static_cast<Gathered>(kUpperWind + c), lane), 0, sums[c]);
    });
  }
}

/// ps_new = ps_old - dt sum_k D_k,   M_k = b_k sum_j D_j - sum_{j < k} D_j      (Simmons and Burridge 1981,
/// equation 2.8)
template <class Real>
void AirColumns<Real>::descend(const Cells& cells, const Stage& stage, Fields& fields) {
  const auto outflow = columns(kDivergence);
  const LaneField<Real> vertical_flux(fields.vertical_flux, cells, n_levels_ + 1);
  outflow_ = Row{};
  for (int k = 0; k < n_levels_; ++k) {
    down_[k] = -outflow_;
    outflow_ += outflow[k];
  }
  down_[n_levels_] = -outflow_;
  for (int k = 0; k <= n_levels_; ++k) {
    down_[k] += hybrid_.b[k] * outflow_;
    vertical_flux.put(k, down_[k]);
  }
  ps_new_ = LaneField<Real>(stage.old.ps, of_rank(cells, stage), 1)[0] - stage.dt * outflow_;
  LaneField<Real>(fields.ps_after, cells, 1).put(0, ps_new_);
}

/// p_k = (p_{k-1/2} + p_{k+1/2}) / 2,  Pi_k = (p_k/p0)^kappa,  R Pi_k m_k / p_k, and phi_r at interfaces: in
/// a short loop, of which the machine computes some levels at once.
template <class Real>
void AirColumns<Real>::hydrostatic(const Cells& cells, const Stage& stage) {
  const auto constant = static_cast<Real>(options_.air.gas_constant),
             kappa = static_cast<Real>(options_.air.kappa()),
             over_reference = static_cast<Real>(1 / options_.air.reference_pressure);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0];
  for (int k = 0; k < n_levels_; ++k) {
    reference_[k] = reference_height(interface(k, ps));
    exner_[k] = power<Real>(layer(k, ps) * over_reference, kappa);
    thickness_[k] = constant * exner_[k] * mass(k, ps) / layer(k, ps);
  }
  reference_[n_levels_] = reference_height(ps);
}

/// The equation of state, Pi = (R theta m / (p0 dphi))^(R/c_v) and p = R Pi theta m / dphi, by what it has
/// beyond that of hydrostatic air. With dphi_h = R Pi_h theta m / p_h
///   Pi / Pi_h = (dphi_h / dphi)^(R/c_v),   p / p_h = (dphi_h / dphi) Pi / Pi_h
template <class Real>
void AirColumns<Real>::nonhydrostatic(const Cells& cells, const Stage& stage, Fields& fields) {
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

/// Upwards from the ground, hydrostatic:
///   phi_{k-1/2} = phi_{k+1/2} + R theta_k Pi_k m_k / p_k     (Dubos et al. 2015)
/// as perturbations: phi' = phi - phi_r(p), theta' = theta less what would make phi' = 0.
template <class Real>
void AirColumns<Real>::balance(const Cells& cells, const Stage& stage, Fields& fields) {
  const LaneField<Real> now_theta(stage.now.theta, cells, n_levels_),
      bernoulli(fields.bernoulli, cells, n_levels_), exner(fields.exner, cells, n_levels_),
      warmth(fields.warmth, cells, n_levels_);
  const auto kinetic = columns(kKinetic);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0],
            ground = LaneField<Real>(fields.ground, cells, 1)[0];

  hydrostatic(cells, stage);
  if (options_.nonhydrostatic) nonhydrostatic(cells, stage, fields);
  Row low = ground - reference_[n_levels_];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const Row pressure = layer(k, ps), theta = now_theta[k];
    const Row warm = theta - (reference_[k] - reference_[k + 1]) / thickness_[k];
    const Row up = options_.nonhydrostatic ? height_[k] : low + thickness_[k] * warm;
    theta_[k] = theta;
    exner.put(k, exner_[k]);
    warmth.put(k, warm);
    bernoulli.put(k, kinetic[k] + Real(0.5) * (up + low));
    if (options_.held_suarez)
      heating_[k] = heating(k, LaneField<Real>(fields.sine2, cells, 1)[0], ps, pressure, exner_[k]);
    low = up;
  }
}

/// phi_r(p), or 0 where forces of pressure are taken as a whole.
template <class Real>
auto AirColumns<Real>::reference_height(Row pressure) const -> Row {
  return options_.reference && !options_.keep_energy ? reference_geopotential<Real>(options_.air, pressure)
                                                     : Row{};
}

/// The mass around an interface: half of the layers beside it.
template <class Real>
auto AirColumns<Real>::mass_around(int k, Row ps) const -> Row {
  const Row above = k > 0 ? mass(k - 1, ps) : Row{}, below = k < n_levels_ ? mass(k, ps) : Row{};
  return Real(0.5) * (above + below);
}

/// dp/dpi - 1 at interfaces; at the ground that of the interface above.
template <class Real>
void AirColumns<Real>::lift(const Cells& cells, const Stage& stage, Fields& fields) {
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

/// The Newtonian cooling of Held and Suarez (1994): (theta_eq - theta) k_T [K s-1].
template <class Real>
auto AirColumns<Real>::heating(int k, Row sine2, Row ps, Row pressure, Row exner) const -> Row {
  constexpr double kDay = 86400, kSlow = 1 / (40 * kDay), kFast = 1 / (4 * kDay);
  const Row logarithm = natural_log<Real>(pressure * static_cast<Real>(1 / options_.air.reference_pressure));
  const Row cosine2 = Real(1) - sine2, height = (pressure / ps - Real(0.7)) * Real(1 / 0.3);
  const Row near_ground = height > 0 ? height : Row{};
  const Row rate = Real(kSlow) + Real(kFast - kSlow) * near_ground * cosine2 * cosine2;
  const Row warm = (Real(315) - Real(60) * sine2 - Real(10) * logarithm * cosine2) * exner;
  const Row stratosphere = lanes_of(Real(200));
  return rate * ((warm > stratosphere ? warm : stratosphere) / exner - theta_[k]);
}

/// Between layers k - 1 and k the heat that takes the energy which air that passes there gives (after Simmons
/// and Burridge 1981), hydrostatic dp/dpi = 1:
///   c_p theta_k-1/2 (Pi_k - Pi_k-1) = (dp/dpi_k-1 dphi_k-1 + dp/dpi_k dphi_k)/2
/// with the mean dp/dpi of a layer's interfaces, 1 at the top and the ground, where nothing passes.
template <class Real>
void AirColumns<Real>::balance_heat(const Cells& cells, Fields& fields) {
  const auto heat_capacity = static_cast<Real>(options_.air.heat_capacity);
  const auto between = columns(kBetween);
  const auto stretch = [&](int k) {
    const auto inside = [&](int at) { return at > 0 && at < n_levels_; };
    const LaneField<Real> lift(fields.lift, cells, n_levels_ + 1);
    return Real(1) + Real(0.5) * ((inside(k) ? lift[k] : Row{}) + (inside(k + 1) ? lift[k + 1] : Row{}));
  };
  const auto work = [&](int k) {
    return options_.nonhydrostatic ? stretch(k) * depth_[k] : theta_[k] * thickness_[k];
  };
  const auto exner = [&](int k) {
    return options_.nonhydrostatic ? exner_[k] + LaneField<Real>(fields.excess, cells, n_levels_)[k]
                                   : exner_[k];
  };
  for (int k = 1; k < n_levels_; ++k)
    between.put(k, Real(0.5) * (work(k - 1) + work(k)) / (heat_capacity * (exner(k) - exner(k - 1))));
}

/// m_new theta_new = m_old theta_old - dt (div(F theta) + (M theta)_{k+1/2} - (M theta)_{k-1/2})
template <class Real>
void AirColumns<Real>::heat(const Cells& cells, const Stage& stage) {
  const Cells places = of_rank(cells, stage);
  const LaneField<Real> old_theta(stage.old.theta, places, n_levels_),
      next_theta(stage.next.theta, places, n_levels_);
  const auto outflow = columns(kHeat), between = columns(kBetween);
  const Real dt = stage.dt;
  const Row ps_old = LaneField<Real>(stage.old.ps, places, 1)[0];
  Row above{};
  for (int k = 0; k < n_levels_; ++k) {
    const Row below = down_[k + 1] * between[k + 1];
    const Row gone = outflow[k] + below - above;
    theta_new_[k] = (mass(k, ps_old) * old_theta[k] - dt * gone) / mass(k, ps_new_);
    if (options_.held_suarez) theta_new_[k] += dt * heating_[k];
    next_theta.put(k, theta_new_[k]);
    above = below;
  }
  LaneField<Real>(stage.next.ps, places, 1).put(0, ps_new_);
}

/// dX/dt = -(div(F X_e) - X div(F) + (M X)_k - (M X)_{k-1} - X (M_k - M_{k-1})) / m  at interfaces, X = w,
/// phi
template <class Real>
void AirColumns<Real>::carry_interfaces(const Cells& cells, const Stage& stage) {
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
  carry(stage.now.w, kUpperWind, kLowerWind, w_tendency_);
  carry(stage.now.phi, kUpperHeight, kLowerHeight, phi_tendency_);
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
void AirColumns<Real>::sound(const Cells& cells, const Stage& stage, Fields& fields) {
  const int n = n_levels_;
  const auto gamma = static_cast<Real>(options_.air.gamma());
  const auto beta = static_cast<Real>(options_.off_centring);
  const Real dt = stage.dt, implicit = dt * gravity_ * beta, explicit_part = dt * gravity_ * (1 - beta);
  const Cells places = of_rank(cells, stage);
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

template class AirColumns<double>;
template class AirColumns<float>;

}  // namespace halcyon::atmosphere
