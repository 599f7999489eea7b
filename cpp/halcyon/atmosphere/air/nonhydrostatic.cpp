#include <cmath>

#include "halcyon/atmosphere/air/columns.hpp"
#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/atmosphere/kernels/air.hpp"
#include "halcyon/base/power.hpp"

namespace halcyon::atmosphere {
namespace {

/// Nonhydrostatic columns in a hydrostatic-pressure coordinate (Laprise 1992). w and phi at interfaces are
/// prognostic; vertically propagating sound waves are solved implicitly.
template <class Real>
class NonhydrostaticColumns final : public AirColumns<Real> {
  using Base = AirColumns<Real>;
  using Base::columns, Base::column_of, Base::mass, Base::weights_;
  using Base::options_, Base::hybrid_, Base::n_levels_, Base::gravity_, Base::ps_new_, Base::vertical_flux_,
      Base::theta_, Base::theta_new_, Base::exner_, Base::reference_geopotential_, Base::depth_per_theta_;
  using typename Base::LevelOfBatch, typename Base::Column, typename Base::Batch, typename Base::Stage,
      typename Base::Fields, typename Base::EdgeSum, typename Base::Layer, typename Base::LayerInput;

 public:
  static constexpr bool kHasInterfaces = true;

  NonhydrostaticColumns(const AirOptions& options, double gravity, const Scheme& scheme)
      : Base(options, gravity, scheme) {
    for (int k = 0; k <= n_levels_; ++k) {
      const double pressure = options.hybrid.interface_pressure(k, options.air.reference_pressure);
      damping_.push_back(static_cast<Real>(options.sponge.damping_rate(pressure, options.hybrid.top())));
    }
    this->allocate_columns({&phi_perturbation_, &depth_, &pressure_excess_, &w_tendency_, &phi_tendency_,
                            &predicted_phi_, &stiffness_, &coupling_, &super_diagonal_, &right_side_,
                            &new_weights_.interface_pressure, &new_weights_.layer_pressure,
                            &new_weights_.layer});
  }

  void momentum(std::span<const IndexRange> edges, const Stage& stage, const Fields& fields) const override {
    air_momentum<true>(edges, n_levels_, static_cast<Real>(options_.air.heat_capacity),
                       LayerMass<Real>(hybrid_, stage.now.ps), stage, fields);
  }

  /// The pressure follows from the equation of state.
  Layer layer_of(const AirStateView<Real>& now, LocalIndex cell, int k,
                 const LayerInput& input) const override {
    const auto& air = options_.air;
    const double upper_phi = now.phi[static_cast<std::size_t>(cell) * (n_levels_ + 1) + k];
    const double r_rho_theta = air.gas_constant * input.theta * input.weight / (upper_phi - input.lower_phi);
    const double pressure =
        air.reference_pressure * std::pow(r_rho_theta / air.reference_pressure, air.gamma());
    return {pressure, std::pow(pressure / air.reference_pressure, air.kappa()), upper_phi};
  }

  /// w^2/2 + c_v T + phi
  double energy(const AirStateView<Real>& now, LocalIndex cell, int k, double temperature,
                double phi) const override {
    const auto index = static_cast<std::size_t>(cell) * (n_levels_ + 1) + k;
    const double above = now.w[index], below = now.w[index + 1];
    const double heat_capacity_v = options_.air.heat_capacity - options_.air.gas_constant;
    return (above * above + below * below) / 4 + heat_capacity_v * temperature + phi;
  }
  /// p_top phi_top
  double boundary_energy(double, double, double top_geopotential) const override {
    return options_.hybrid.top() * top_geopotential;
  }

 protected:
  void compute_geopotential(const Batch& cells, const Stage& stage, Fields& fields) override {
    compute_pressure(cells, stage, fields);
    this->compute_bernoulli(
        cells, fields, [&](int k, const LevelOfBatch&, const LevelOfBatch&) { return phi_perturbation_[k]; });
    compute_acceleration(cells, fields);
  }
  void compute_conservative_theta(const Batch& cells, Fields& fields) override;
  void advance_interfaces(const Batch& cells, const Stage& stage, Fields& fields) override {
    sum_interface_advection(cells, stage, fields);
    advect_interfaces(cells, stage);
    solve_sound_waves(cells, stage, fields);
  }

 private:
  void compute_pressure(const Batch& cells, const Stage& stage, Fields& fields);
  void compute_acceleration(const Batch& cells, Fields& fields);
  void sum_interface_advection(const Batch& cells, const Stage& stage, Fields& fields);
  void advect_interfaces(const Batch& cells, const Stage& stage);
  void solve_sound_waves(const Batch& cells, const Stage& stage, Fields& fields);
  /// The mass or weight at an interface: half of those of the adjacent layers, layer(k).
  LevelOfBatch at_interface(int k, const auto& layer) const {
    const LevelOfBatch above = k > 0 ? layer(k - 1) : LevelOfBatch{},
                       below = k < n_levels_ ? layer(k) : LevelOfBatch{};
    return Real(0.5) * (above + below);
  }

  std::vector<Real> damping_;           ///< damping rate of w [s-1] (interface)
  typename Base::Weights new_weights_;  ///< at the end of the stage
  // Columns of the current batch (level or interface): phi', dphi, p - pi, the advective tendencies A_w and
  // A_phi, phi_p, c, and the tridiagonal system (`solve_sound_waves`).
  Column phi_perturbation_, depth_, pressure_excess_, w_tendency_, phi_tendency_, predicted_phi_, stiffness_,
      coupling_, super_diagonal_, right_side_;
};

/// Equation of state, Pi = (R theta m / (p0 dphi))^(R/c_v) and p = R Pi theta m / dphi, relative to
/// hydrostatic balance. With dphi_h = R Pi_h theta m / p_h
///   Pi / Pi_h = (dphi_h / dphi)^(R/c_v),   p / p_h = (dphi_h / dphi) Pi / Pi_h
template <class Real>
void NonhydrostaticColumns<Real>::compute_pressure(const Batch& cells, const Stage& stage, Fields& fields) {
  const auto exponent = static_cast<Real>(options_.air.gamma() - 1);
  const LaneField<Real> theta(fields.theta_rho, cells, n_levels_), phi(stage.now.phi, cells, n_levels_ + 1),
      exner_excess(fields.exner_excess, cells, n_levels_);
  const LevelOfBatch phi_s = LaneField<Real>(fields.surface_geopotential, cells, 1)[0];
  LevelOfBatch upper_phi = phi[0];
  for (int k = 0; k < n_levels_; ++k) {
    const LevelOfBatch lower_phi = k + 1 < n_levels_ ? phi[k + 1] : phi_s;
    depth_[k] = upper_phi - lower_phi;
    // (dphi_h / dphi) - 1 and Pi / Pi_h - 1
    const LevelOfBatch compression = (theta[k] * depth_per_theta_[k] - depth_[k]) / depth_[k];
    const LevelOfBatch exner_change = power_minus_one<Real>(compression, exponent);
    exner_excess.put(k, exner_[k] * exner_change);
    pressure_excess_[k] =
        weights_.layer_pressure[k] * (compression + exner_change + compression * exner_change);
    phi_perturbation_[k] = upper_phi - reference_geopotential_[k];
    upper_phi = lower_phi;
  }
}

/// dp/dpi - 1 at interfaces; at the surface the value of the interface above.
template <class Real>
void NonhydrostaticColumns<Real>::compute_acceleration(const Batch& cells, Fields& fields) {
  const LaneField<Real> acceleration(fields.acceleration, cells, n_levels_ + 1);
  LevelOfBatch above{}, lowest{};
  for (int k = 0; k < n_levels_; ++k) {
    lowest =
        (pressure_excess_[k] - above) / at_interface(k, [&](int layer) { return weights_.layer[layer]; });
    acceleration.put(k, lowest);
    above = pressure_excess_[k];
  }
  acceleration.put(n_levels_, lowest);
}

/// dp/dpi of a layer is the mean of both interfaces; 1 at top and surface, where the vertical flux is zero.
template <class Real>
void NonhydrostaticColumns<Real>::compute_conservative_theta(const Batch& cells, Fields& fields) {
  const LaneField<Real> acceleration(fields.acceleration, cells, n_levels_ + 1),
      exner_excess(fields.exner_excess, cells, n_levels_);
  const auto is_inside = [&](int interface) { return interface > 0 && interface < n_levels_; };
  const auto dp_dpi = [&](int k) {
    return Real(1) + Real(0.5) * ((is_inside(k) ? acceleration[k] : LevelOfBatch{}) +
                                  (is_inside(k + 1) ? acceleration[k + 1] : LevelOfBatch{}));
  };
  this->set_conservative_theta([&](int k) { return dp_dpi(k) * depth_[k]; },
                               [&](int k) { return exner_[k] + exner_excess[k]; });
}

/// Horizontal advection of w and phi at both interfaces of a level by the mass flux of this level: half of
///   div(F X_e) - X div(F) = (1/A_i) sum_e n_ei l_e F_e (X_j - X_i) / 2
template <class Real>
void NonhydrostaticColumns<Real>::sum_interface_advection(const Batch& cells, const Stage& stage,
                                                          Fields& fields) {
  const auto& mesh = stage.tile.mesh;
  for (int lane = 0; lane < kLanes<Real>; ++lane) {
    const auto i = cells[lane];
    for_rows<Real, 2 * kLanes<Real>>(n_levels_, [&](const auto& rows) {
      using Levels = typename std::remove_cvref_t<decltype(rows)>::Row;
      std::array<Levels, 4> sums{};
      const auto flux = rows(fields.flux);
      const std::array advected{rows.above(stage.now.w), rows.below(stage.now.w), rows.above(stage.now.phi),
                                rows.below(stage.now.phi)};
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
        const auto e = mesh.edges_on_cell[j];
        const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
        const auto other = cell_1 == i ? cell_2 : cell_1;
        const Levels weight = Real(0.25) * mesh.outward_length[j] * flux[e];
        for (int c = 0; c < 4; ++c) sums[c] += weight * (advected[c][other] - advected[c][i]);
      }
      for (int c = 0; c < 4; ++c)
        rows.put(column_of(static_cast<EdgeSum>(Base::kUpperW + c), lane), 0, sums[c]);
    });
  }
}

/// dX/dt = -(div(F X_e) - X div(F) + (M X)_k - (M X)_{k-1} - X (M_k - M_{k-1})) / m  at interfaces, X = w or
/// phi; M_k is the vertical flux through the middle of layer k
template <class Real>
void NonhydrostaticColumns<Real>::advect_interfaces(const Batch& cells, const Stage& stage) {
  const LevelOfBatch ps = LaneField<Real>(stage.now.ps, cells, 1)[0];
  const auto advect = [&](std::span<Real> field, EdgeSum upper, EdgeSum lower, Column& tendency) {
    const LaneField<Real> x(field, cells, n_levels_ + 1);
    const auto upper_sums = columns(upper), lower_sums = columns(lower);
    LevelOfBatch difference_above{}, here = x[0];
    for (int k = 0; k <= n_levels_; ++k) {
      LevelOfBatch sum = k < n_levels_ ? upper_sums[k] : LevelOfBatch{};
      if (k > 0) sum += lower_sums[k - 1];
      const LevelOfBatch next = k < n_levels_ ? x[k + 1] : here, difference_below = next - here;
      if (k > 0 && k < n_levels_) {
        const LevelOfBatch below = Real(0.25) * (vertical_flux_[k] + vertical_flux_[k + 1]),
                           above = Real(0.25) * (vertical_flux_[k - 1] + vertical_flux_[k]);
        sum += below * difference_below + above * difference_above;
      }
      tendency[k] = -sum / at_interface(k, [&](int layer) { return mass(layer, ps); });
      difference_above = difference_below, here = next;
    }
  };
  advect(stage.now.w, Base::kUpperW, Base::kLowerW, w_tendency_);
  advect(stage.now.phi, Base::kUpperPhi, Base::kLowerPhi, phi_tendency_);
}

/// Solves for w and phi implicitly, off-centred with weight beta. A_w, A_phi: advective tendencies; x = w_new
/// - w_old; phi_p = phi_old + dt (A_phi + g w_old):
///   w_new   = w_old + dt (A_w + g (1 - beta) (dp/dpi - 1)_old + g beta (dp/dpi - 1)_new)
///   phi_new = phi_p + dt g beta x,   p_new = p_* - c (dphi_new - dphi(p_*)),   c = gamma p_* / dphi(p_*)
/// This is a tridiagonal system in each column. The equation of state is linearized about p_*, the new
/// hydrostatic pressure plus the present nonhydrostatic part of p: p_* is close to p_new even where phi_p
/// differs much from phi_new (long steps, thin layers over slopes). With the present p and dphi
///   dphi(p_*) = dphi (theta_new m_new) / (theta m) (p_* / p)^(-1/gamma)
/// At the surface w = u . grad(phi_s) / g.
template <class Real>
void NonhydrostaticColumns<Real>::solve_sound_waves(const Batch& cells, const Stage& stage, Fields& fields) {
  const int n = n_levels_;
  const auto gamma = static_cast<Real>(options_.air.gamma());
  const auto beta = static_cast<Real>(options_.off_centring);
  const Real dt = stage.dt, implicit_factor = dt * gravity_ * beta,
             explicit_factor = dt * gravity_ * (1 - beta);
  const Batch rank_cells = this->to_rank_cells(cells, stage);
  const LaneField<Real> w_old(stage.old.w, rank_cells, n + 1), phi_old(stage.old.phi, rank_cells, n + 1),
      w_new(stage.next.w, rank_cells, n + 1), phi_new(stage.next.phi, rank_cells, n + 1),
      acceleration(fields.acceleration, cells, n + 1),
      acceleration_old(stage.acceleration_old, rank_cells, n + 1);

  predicted_phi_[n] = LaneField<Real>(fields.surface_geopotential, cells, 1)[0];
  for (int k = n - 1; k >= 0; --k)
    predicted_phi_[k] = phi_old[k] + dt * (phi_tendency_[k] + gravity_ * w_old[k]);
  this->compute_weights(cells, ps_new_, fields, new_weights_);
  for (int k = 0; k < n; ++k) {
    const LevelOfBatch hydrostatic = weights_.layer_pressure[k], theta_mass = theta_[k] * weights_.layer[k],
                       pressure_change = new_weights_.layer_pressure[k] - hydrostatic;
    const LevelOfBatch pressure = hydrostatic + pressure_excess_[k],
                       inverse = Real(1) / (theta_mass * pressure);
    const LevelOfBatch compression =
        power_minus_one<Real>(pressure_change * theta_mass * inverse, -1 / gamma);
    const LevelOfBatch depth =
        depth_[k] * theta_new_[k] * mass(k, ps_new_) * pressure * inverse * (Real(1) + compression);
    stiffness_[k] = gamma * (pressure + pressure_change) / depth;
    pressure_excess_[k] += stiffness_[k] * (depth - (predicted_phi_[k] - predicted_phi_[k + 1]));
  }
  LevelOfBatch above{};
  for (int k = 0; k < n; ++k) {
    if (stage.is_first) acceleration_old.put(k, acceleration[k]);
    const LevelOfBatch inverse_weight =
        Real(1) / at_interface(k, [&](int layer) { return new_weights_.layer[layer]; });
    coupling_[k] = implicit_factor * implicit_factor * inverse_weight;
    right_side_[k] = dt * w_tendency_[k] + explicit_factor * acceleration_old[k] +
                     implicit_factor * (pressure_excess_[k] - above) * inverse_weight -
                     broadcast(dt * damping_[k]) * w_old[k];
    above = pressure_excess_[k];
  }
  LevelOfBatch stiffness_above{}, upper{}, eliminated{};  // super-diagonal and right side after elimination
  for (int k = 0; k < n; ++k) {
    const LevelOfBatch lower = -coupling_[k] * stiffness_above, damped = broadcast(dt * damping_[k]);
    const LevelOfBatch inverse_pivot =
        Real(1) / (Real(1) + damped + coupling_[k] * (stiffness_[k] + stiffness_above) - lower * upper);
    upper = k + 1 < n ? -coupling_[k] * stiffness_[k] * inverse_pivot : LevelOfBatch{};
    eliminated = (right_side_[k] - lower * eliminated) * inverse_pivot;
    super_diagonal_[k] = upper, right_side_[k] = eliminated;
    stiffness_above = stiffness_[k];
  }
  w_new.put(n, -phi_tendency_[n] / gravity_);
  LevelOfBatch x{};
  for (int k = n - 1; k >= 0; --k) {
    x = right_side_[k] - super_diagonal_[k] * x;
    const LevelOfBatch w = w_old[k] + x;
    phi_new.put(k, predicted_phi_[k] + implicit_factor * x);
    w_new.put(k, w);
  }
}

}  // namespace

EquationSet nonhydrostatic_set() {
  return air_equation_set<NonhydrostaticColumns>(
      {.name = "nonhydrostatic",
       .text = "Nonhydrostatic equations on mass-based hybrid levels, with vertically implicit sound waves.",
       .references =
           "Laprise (1992, Mon. Weather Rev. 120); Zhang et al. (2019, J. Adv. Model. Earth Syst. 11)",
       .options = {number("off_centring", AirOptions{}.off_centring,
                          "Weight of the new time level in the vertically implicit steps of nonhydrostatic; "
                          "0.5 is centred.",
                          "", 0.5, 1),
                   number("viscosity", 0,
                          "Constant viscosity of the wind, horizontal and vertical; the vertical one acts on "
                          "the deviation from the initial wind.",
                          "m2 s-1", 0, 1e6),
                   number("scalar_viscosity", 0,
                          "Constant viscosity of the deviations of potential temperature and tracers from "
                          "the initial state.",
                          "m2 s-1", 0, 1e6)}},
      {.bytes = 1900, .longest_step_s = 10'000, .halo_work = 0.6});
}

}  // namespace halcyon::atmosphere
