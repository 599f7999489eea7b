#include "halcyon/atmosphere/air/columns.hpp"

#include <cmath>

#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/base/lanes.hpp"
#include "halcyon/base/power.hpp"

namespace halcyon::atmosphere {

// A Batch has one level of several columns; the `rows` of for_rows have several consecutive levels of one
// column. `fields`, `stage.now` and the mesh of the tile are indexed by cells of the tile, `stage.old` and
// `stage.next` by cells of the rank (to_rank_cells).

double Sponge::damping_rate(double p, double top) const {
  if (p >= pressure) return 0;
  const double depth = std::log(pressure / p) / std::log(pressure / top);
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
      edge_sums_(static_cast<std::size_t>(kEdgeSums) * kLanes<Real> * (n_levels_ + 1)) {
  allocate_columns({&vertical_flux_, &theta_, &theta_new_, &exner_, &reference_geopotential_,
                    &depth_per_theta_, &weights_.interface_pressure, &weights_.layer_pressure,
                    &weights_.layer});
}

template <class Real>
void AirColumns<Real>::diagnose(std::span<const IndexRange> cells, const Stage& stage, Fields& fields) {
  for_batches<Real>(cells, [&](const Batch& batch) { diagnose(batch, stage, fields); });
}

template <class Real>
void AirColumns<Real>::advance(std::span<const IndexRange> cells, const Stage& stage, Fields& fields) {
  for_batches<Real>(cells, [&](const Batch& batch) {
    diagnose(batch, stage, fields);
    compute_theta_fluxes(batch, stage, fields);
    advance_theta(batch, stage, fields);
    advance_interfaces(batch, stage, fields);
  });
}

template <class Real>
void AirColumns<Real>::diagnose(const Batch& cells, const Stage& stage, Fields& fields) {
  compute_edge_sums(cells, stage, fields);
  compute_vertical_flux(cells, stage, fields);
  compute_layer_pressure(cells, stage, fields);
  compute_geopotential(cells, stage, fields);
}

template <class Real>
std::span<Real> AirColumns<Real>::column_of(EdgeSum sum, int lane) {
  const std::size_t n = n_levels_ + 1, offset = (static_cast<std::size_t>(sum) * kLanes<Real> + lane) * n;
  return std::span(edge_sums_).subspan(offset, n);
}

template <class Real>
LaneField<Real> AirColumns<Real>::columns(EdgeSum sum) {
  Batch lanes;
  for (int lane = 0; lane < kLanes<Real>; ++lane) lanes[lane] = sum * kLanes<Real> + lane;
  return {std::span(edge_sums_), lanes, n_levels_ + 1};
}

/// Computes D = div(F) and K.
template <class Real>
void AirColumns<Real>::compute_edge_sums(const Batch& cells, const Stage& stage, Fields& fields) {
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane], rank_cell = stage.tile.cells[i];
    prefetch<Real>(stage.old.theta, rank_cell, n_levels_);
    prefetch<Real>(stage.next.theta, rank_cell, n_levels_);
    if (!stage.old.w.empty())
      for (const auto* state : {&stage.old, &stage.next})
        for (const auto field : {state->w, state->phi}) prefetch<Real>(field, rank_cell, n_levels_ + 1);
    const auto outflow = column_of(kDivergence, lane), energy = column_of(kKineticEnergy, lane);
    for_rows<Real, kWideRow<Real>>(n_levels_, [&](const auto& rows) {
      rows.put(outflow, 0, divergence(stage.tile.mesh, rows(fields.flux), i));
      rows.put(energy, 0, kinetic_energy(stage.tile.energy, rows(stage.now.u), i));
    });
  }
}

/// Computes div(F theta), and theta at interfaces, in one loop per quantity: reading data that were just
/// written with another vector width would stall the CPU (failed store forwarding).
template <class Real>
void AirColumns<Real>::compute_theta_fluxes(const Batch& cells, const Stage& stage, Fields& fields) {
  const auto theta = [&](LocalIndex i) { return column<Real>(In<Real>(stage.now.theta), i, n_levels_); };
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    for_rows<Real, kWideRow<Real>>(n_levels_, [&](const auto& rows) {
      rows.put(column_of(kThetaDivergence, lane), 0, divergence(stage.tile.mesh, rows(fields.heat_flux), i));
    });
  }
  if (options_.keep_energy) return compute_conservative_theta(cells, fields);
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    interface_values<Real>(order_, theta(i), column<Real>(In<Real>(fields.vertical_flux), i, n_levels_ + 1),
                           column_of(kInterfaceTheta, lane));
  }
  for (int lane = 0; lane < kLanes<Real>; ++lane)
    clamp_interface_values<Real>(theta(cells[lane]), column_of(kInterfaceTheta, lane));
}

/// ps_new = ps_old - dt sum_k D_k,   M_k = b_k sum_j D_j - sum_{j < k} D_j, the flux through the upper
/// interface of layer k      (Simmons and Burridge 1981, equation 2.8)
template <class Real>
void AirColumns<Real>::compute_vertical_flux(const Batch& cells, const Stage& stage, Fields& fields) {
  const auto outflow = columns(kDivergence);
  const LaneField<Real> vertical_flux(fields.vertical_flux, cells, n_levels_ + 1);
  column_outflow_ = LevelOfBatch{};
  for (int k = 0; k < n_levels_; ++k) {
    vertical_flux_[k] = -column_outflow_;
    column_outflow_ += outflow[k];
  }
  vertical_flux_[n_levels_] = -column_outflow_;
  for (int k = 0; k <= n_levels_; ++k) {
    vertical_flux_[k] += hybrid_.b[k] * column_outflow_;
    vertical_flux.put(k, vertical_flux_[k]);
  }
  ps_new_ = LaneField<Real>(stage.old.ps, to_rank_cells(cells, stage), 1)[0] - stage.dt * column_outflow_;
  LaneField<Real>(fields.ps_after, cells, 1).put(0, ps_new_);
}

template <class Real>
void AirColumns<Real>::compute_weights(const Batch& cells, LevelOfBatch ps, Fields& fields,
                                       Weights& weights) const {
  const bool is_loaded = !fields.loading.empty();
  const LaneField<Real> loading(fields.loading, cells, n_levels_);
  weights.interface_pressure[0] = hybrid_.interface_pressure(0, ps);
  for_weights(
      hybrid_, ps, is_loaded, [&](int k) { return loading[k]; },
      [&](int k, LevelOfBatch upper, LevelOfBatch lower, LevelOfBatch weight) {
        weights.layer[k] = weight;
        weights.interface_pressure[k + 1] = lower;
        weights.layer_pressure[k] = Real(0.5) * (upper + lower);
      });
}

/// Computes the weights, Pi_k = (p_k/p0)^kappa, R Pi_k dp_k / p_k, and phi_r at interfaces. The loop does
/// nothing else, so that the CPU can overlap several levels.
template <class Real>
void AirColumns<Real>::compute_layer_pressure(const Batch& cells, const Stage& stage, Fields& fields) {
  const auto gas_constant = static_cast<Real>(options_.air.gas_constant),
             kappa = static_cast<Real>(options_.air.kappa()),
             inverse_p0 = static_cast<Real>(1 / options_.air.reference_pressure);
  compute_weights(cells, LaneField<Real>(stage.now.ps, cells, 1)[0], fields, weights_);
  for (int k = 0; k < n_levels_; ++k) {
    reference_geopotential_[k] = reference_geopotential_at(weights_.interface_pressure[k]);
    exner_[k] = power<Real>(weights_.layer_pressure[k] * inverse_p0, kappa);
    depth_per_theta_[k] = gas_constant * exner_[k] * weights_.layer[k] / weights_.layer_pressure[k];
  }
  reference_geopotential_[n_levels_] = reference_geopotential_at(weights_.interface_pressure[n_levels_]);
}

/// phi_r = -R (a_0 x + a_1 x^2/2 + a_2 x^3/3 + ...) with x = ln(p/p_0), the geopotential of the reference
/// atmosphere [m2 s-2]. Pressure gradients are those of deviations from it, so that over orography only the
/// deviation contributes to the pressure gradient error.
template <class Real>
auto AirColumns<Real>::reference_geopotential_at(LevelOfBatch pressure) const -> LevelOfBatch {
  const auto x = natural_log<Real>(pressure * static_cast<Real>(1 / options_.air.reference_pressure));
  return x * polynomial<Real>(reference_terms_, x);
}

/// Sets the reference atmosphere; a: terms of its temperature (ReferenceFit).
template <class Real>
void AirColumns<Real>::set_reference(const std::vector<double>& a) {
  for (int j = 0; j < ReferenceFit::kTerms; ++j)
    reference_terms_[j] = static_cast<Real>(-options_.air.gas_constant * a[j] / (j + 1));
}

/// m_new theta_new = m_old theta_old - dt (div(F theta) + (M theta)_{k+1/2} - (M theta)_{k-1/2}), plus the
/// heating of the physics and of the dissipation of kinetic energy
template <class Real>
void AirColumns<Real>::advance_theta(const Batch& cells, const Stage& stage, Fields& fields) {
  const Batch rank_cells = to_rank_cells(cells, stage);
  const LaneField<Real> old_theta(stage.old.theta, rank_cells, n_levels_),
      next_theta(stage.next.theta, rank_cells, n_levels_);
  const auto outflow = columns(kThetaDivergence), interface_theta = columns(kInterfaceTheta);
  const Real dt = stage.dt;
  const LevelOfBatch ps_old = LaneField<Real>(stage.old.ps, rank_cells, 1)[0];
  const bool has_heating = !stage.forcing.theta.empty();
  const LaneField<Real> heating(stage.forcing.theta, rank_cells, n_levels_);
  const bool has_friction = !stage.friction.empty();
  const LaneField<Real> friction(stage.friction, cells, n_levels_),
      exner_excess(fields.exner_excess, cells, n_levels_), loading(fields.loading, cells, n_levels_);
  // dtheta/dt = h (1 + q_t) / (c_p Pi), at constant ps and phi: dE/dt = m (1 + q_t) h
  const auto frictional_heating = [&](int k) {
    const LevelOfBatch exner = fields.exner_excess.empty() ? exner_[k] : exner_[k] + exner_excess[k],
                       rate = friction[k] / (static_cast<Real>(options_.air.heat_capacity) * exner);
    return fields.loading.empty() ? rate : rate * loading[k];
  };
  LevelOfBatch flux_above{};
  for (int k = 0; k < n_levels_; ++k) {
    const LevelOfBatch flux_below = vertical_flux_[k + 1] * interface_theta[k + 1];
    const LevelOfBatch divergence = outflow[k] + flux_below - flux_above;
    theta_new_[k] = (mass(k, ps_old) * old_theta[k] - dt * divergence) / mass(k, ps_new_);
    if (has_heating) theta_new_[k] += dt * heating[k];
    if (has_friction) theta_new_[k] += dt * frictional_heating(k);
    next_theta.put(k, theta_new_[k]);
    flux_above = flux_below;
  }
  LaneField<Real>(stage.next.ps, rank_cells, 1).put(0, ps_new_);
}

template class AirColumns<double>;
template class AirColumns<float>;

}  // namespace halcyon::atmosphere
