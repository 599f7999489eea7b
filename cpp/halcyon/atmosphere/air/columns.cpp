#include "halcyon/atmosphere/air/columns.hpp"

#include <cmath>

#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/lanes.hpp"
#include "halcyon/base/power.hpp"

namespace halcyon::atmosphere {

namespace {

/// The geopotential of a reference atmosphere [m2 s-2], from which pressure gradients are taken as
/// perturbations: what is left where air lies at rest over a mountain is that of the difference. Its
/// temperature is about that of the standard atmosphere's troposphere, T_r = T_0 (p/p0)^x with T_0 = 288 K
/// and x = 3/16, which is 6.4 K/km and takes square roots only, so that dphi_r = -R T_r dp/p gives
///   phi_r(p) = R T_0/x (1 - (p/p0)^x)
/// It should be bent as the atmosphere is: the curl of theta' grad(Pi) around a vertex goes as
/// d2theta'/dPi2, and drives a wind that nothing balances.
template <class Real>
Lanes<Real> reference_geopotential(const Air& air, Lanes<Real> pressure) {
  constexpr double kTemperature = 288, kOverExponent = 16.0 / 3;
  const Real scale = static_cast<Real>(air.gas_constant * kTemperature * kOverExponent);
  const auto eighth =
      square_root(square_root(square_root(pressure * static_cast<Real>(1 / air.reference_pressure))));
  return scale * (Real(1) - eighth * square_root(eighth));
}

}  // namespace

double Sponge::at(double where, double top) const {
  if (where >= pressure) return 0;
  const double depth = std::log(pressure / where) / std::log(pressure / top);
  const double sine = std::sin(kPi / 2 * depth);
  return rate * sine * sine;
}

template <class Real>
AirColumns<Real>::AirColumns(const AirOptions& options, double gravity, const Scheme& scheme)
    : options_(options),
      hybrid_(options.hybrid),
      n_levels_(options.hybrid.n_levels()),
      gravity_(static_cast<Real>(gravity)),
      order_(scheme.transport_order),
      gathered_(static_cast<std::size_t>(kGathered) * kLanes<Real> * (n_levels_ + 1)) {
  make_columns({&down_, &theta_, &theta_new_, &exner_, &reference_, &thickness_, &heating_});
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
    advance_interfaces(batch, stage, fields);
  });
}

template <class Real>
void AirColumns<Real>::diagnose(const Cells& cells, const Stage& stage, Fields& fields) {
  gather(cells, stage, fields);
  descend(cells, stage, fields);
  hydrostatic(cells, stage);
  find_geopotential(cells, stage, fields);
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
    if (!stage.old.w.empty())
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

/// phi_r(p), or 0 where forces of pressure are taken as a whole.
template <class Real>
auto AirColumns<Real>::reference_height(Row pressure) const -> Row {
  return options_.reference && !options_.keep_energy ? reference_geopotential<Real>(options_.air, pressure)
                                                     : Row{};
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

template class AirColumns<double>;
template class AirColumns<float>;

}  // namespace halcyon::atmosphere
