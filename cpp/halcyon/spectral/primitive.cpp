#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/spectral/air_physics.hpp"
#include "halcyon/spectral/air_tracers.hpp"
#include "halcyon/spectral/columns.hpp"
#include "halcyon/spectral/gravity_waves.hpp"
#include "halcyon/spectral/implicit_waves.hpp"

namespace halcyon::spectral {
namespace {

/// Hydrostatic air on levels of a hybrid coordinate (Simmons and Burridge 1981), with vorticity and
/// divergence (Hoskins and Simmons 1975):
///   d(zeta)/dt = curl(P, Q),  d(delta)/dt = div(P, Q) - del^2 (phi + (u^2 + v^2)/2)
/// with P, Q and phi from `Columns`. In moist air ps and the masses of layers are those of the air with its
/// water (`AirTracers`).
template <class Real>
class Primitive final : public Equations<Real> {
  using Base = Equations<Real>;
  using Base::tracers_, Base::costs_;
  using Values = std::vector<Real>;

 public:
  using typename Base::Spectrum;

  Primitive(Basis<Real>& basis, const AirOptions& air)
      : basis_(basis),
        air_((air.validate(), air)),  // the comma operator checks the options first
        n_levels_(static_cast<int>(air.a.size()) - 1),
        columns_(basis, air),
        air_tracers_(basis, air, tracers_),
        waves_(air.a, air.b, air.gas_constant, air.gas_constant / air.heat_capacity,
               air.is_lagrangian ? GravityWaves::kLagrangianTemperature : GravityWaves::kTemperature),
        orography_(basis),
        bernoulli_(n_levels_ * basis.n_coefficients()) {
    if (!air.physics.empty()) physics_ = std::make_unique<AirPhysics<Real>>(basis, air, tracers_);
    const std::size_t n = basis.n_points(), n_values = n_levels_ * n;
    for (auto* values : {&u_, &v_, &p_, &q_, &energy_, &vertical_flux_rates_}) values->resize(n_values);
    for (auto* values : {&derivatives_x_, &derivatives_y_, &grid_tendencies_}) values->resize(n_values + n);
    fields_.resize(3 * n_values + n);
    const std::span fields(fields_), derivatives_x(derivatives_x_), derivatives_y(derivatives_y_),
        changes(grid_tendencies_);
    zeta_ = fields.first(n_values), delta_ = fields.subspan(n_values, n_values),
    temperature_ = fields.subspan(2 * n_values, n_values);
    log_ps_ = fields.last(n);
    t_x_ = derivatives_x.first(n_values), log_ps_x_ = derivatives_x.last(n);
    t_y_ = derivatives_y.first(n_values), log_ps_y_ = derivatives_y.last(n);
    temperature_tendency_ = changes.first(n_values), log_ps_tendency_ = changes.last(n);
    if (!air.is_lagrangian) return;
    for (auto* values : {&terms_.values, &terms_.nonlinear, &terms_.linear}) values->resize(4 * n_values);
    terms_.eta_velocity.resize(n_values);
    implicit_waves_ =
        make_implicit_waves(basis, air.solver, VerticalModes(waves_.coupling(), waves_.thicknesses()));
  }

  int n_levels() const override { return n_levels_; }
  bool is_moist() const override { return air_.is_moist; }
  std::vector<Prognostic> prognostics() const override {
    return {{.name = "vorticity", .n_levels = n_levels_, .is_diffused = true},
            {.name = "divergence", .n_levels = n_levels_, .is_diffused = true},
            {.name = "temperature", .n_levels = n_levels_, .is_diffused = true},
            {.name = "log_surface_pressure", .n_levels = 1, .is_diffused = false}};
  }

  void set(const GivenState& given, Spectrum& state) override {
    const std::size_t n = basis_.n_points(), n_values = n_levels_ * n;
    require_size("wind", given.east.size(), n_values);
    require_size("temperature", given.temperature.size(), n_values);
    require_size("surface", given.surface.size(), n);
    auto& transform = basis_.transform();
    const auto parts = split(state);
    transform.vorticity_divergence(converted<Real>(given.east), converted<Real>(given.north), parts.zeta,
                                   parts.delta);
    transform.analysis(converted<Real>(given.temperature), parts.temperature);
    for (std::size_t i = 0; i < n; ++i)
      log_ps_[i] = static_cast<Real>(std::log(given.surface[i]) - kLogReference<Real>);
    transform.analysis(log_ps_, parts.log_ps);
    orography_.set(given.orography);
    require_size("tracers", given.tracers.size(), tracers_.values.size());
    std::ranges::copy(converted<Real>(given.tracers), tracers_.values.begin());
  }

  void to_grid(const Spectrum& state) override {
    auto& transform = basis_.transform();
    const auto parts = split(const_cast<Spectrum&>(state));
    const std::span<const Coefficient<Real>> temperature_log_ps(
        parts.temperature.data(), parts.temperature.size() + parts.log_ps.size());
    if (transform.shares_coefficients()) {
      transform.synthesis_and_winds(parts.zeta, parts.delta, zeta_, delta_, u_, v_);
      transform.synthesis_and_gradient(temperature_log_ps, std::span(fields_).subspan(2 * u_.size()),
                                       derivatives_x_, derivatives_y_);
    } else {  // a single call for all fields
      transform.synthesis(state, fields_);
      transform.winds(parts.zeta, parts.delta, u_, v_);
      transform.gradient(temperature_log_ps, derivatives_x_, derivatives_y_);
    }
    air_tracers_.compute_virtual_temperature(temperature_, t_x_, t_y_);
    if (air_.is_lagrangian) return compute_lagrangian_terms();
    const typename Columns<Real>::Tendencies tendencies{.p = p_.data(),
                                                        .q = q_.data(),
                                                        .temperature = temperature_tendency_.data(),
                                                        .energy = energy_.data(),
                                                        .log_ps = log_ps_tendency_.data()};
    // Tendencies are computed here, once per state, because pressures and geopotential are costly.
    for_columns([&](std::size_t first, std::size_t n) {
      columns_.compute_tendencies(grid_fields(), tendencies);
      for (int k = 0; k < n_levels_; ++k)
        for (std::size_t i = 0; i < n; ++i)
          vertical_flux_rates_[at(k, first + i)] = static_cast<Real>(columns_.vertical_flux_rate(k, i));
      if (physics_phase_ == PhysicsPhase::kComputed) physics_->compute(columns_, physics_fields(), first, n);
      if (physics_phase_ == PhysicsPhase::kAdded) physics_->add(physics_fields(), first, n);
    });
    if (physics_phase_ == PhysicsPhase::kComputed) physics_phase_ = PhysicsPhase::kAdded;
  }

  void tendencies(Spectrum& change) override {
    auto& transform = basis_.transform();
    const auto parts = split(change);
    transform.vorticity_divergence(p_, q_, parts.zeta, parts.delta);
    transform.analysis(energy_, bernoulli_);
    transform.analysis(grid_tendencies_,
                       {parts.temperature.data(), parts.temperature.size() + parts.log_ps.size()});
    for (std::size_t i = 0; i < bernoulli_.size(); ++i)
      parts.delta[i] += static_cast<Real>(basis_.eigenvalues()[i % basis_.n_coefficients()]) * bernoulli_[i];
  }

  LagrangianFields lagrangian_fields() const override {
    LagrangianFields fields{
        .eta = {}, .n_scalars = 1, .has_flat = true, .physics_at_departure = air_.is_moist};
    for (int k = 0; k < n_levels_; ++k)
      fields.eta.push_back(
          ((air_.a[k] + air_.a[k + 1]) / GravityWaves::kPressure + air_.b[k] + air_.b[k + 1]) / 2);
    return fields;
  }
  const LagrangianTerms<Real>& lagrangian_terms() const override { return terms_; }
  /// The water that the physics adds to moist air is a part of ps.
  void add_physics_tendencies(double dt, std::span<Real> values) const override {
    const std::size_t n_values = u_.size();
    for (std::size_t i = 0; physics_ && i < n_values; ++i) {
      const auto add = [&](std::size_t to, double tendency) {
        values[to] = static_cast<Real>(values[to] + dt * tendency);
      };
      add(i, p_[i]), add(n_values + i, q_[i]), add(2 * n_values + i, temperature_tendency_[i]);
    }
    for (std::size_t i = 0; !tracers_.tendencies.empty() && air_.is_moist && i < log_ps_.size(); ++i) {
      const double ps = surface_pressure(i),
                   change = std::log1p(air_tracers_.gained_weight(i, ps, values.subspan(4 * n_values)) / ps);
      for (int k = 0; k < n_levels_; ++k)
        values[3 * n_values + at(k, i)] = static_cast<Real>(values[3 * n_values + at(k, i)] + change);
    }
  }
  void solve_linear_terms(std::span<Real> right_side, double alpha, const Spectrum& now,
                          Spectrum& state) override {
    if (Base::kSolvesForChange) this->subtract_present(alpha, right_side);
    const auto parts = split(state);
    const std::size_t n = basis_.n_points(), n_values = u_.size();
    const auto temperature_log_ps = right_side.subspan(2 * n_values, n_values + n);
    // ln ps + phi_s/(R T_r) = sum_k Db_k (value at level k); phi_s does not change
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n_levels_; ++k)
        sum += (air_.b[k + 1] - air_.b[k]) * right_side[3 * n_values + at(k, i)];
      if (!Base::kSolvesForChange) sum -= orography_.geopotential()[i] / waves_.r_t_r();
      temperature_log_ps[n_values + i] = static_cast<Real>(sum);
    }
    basis_.transform().vorticity_divergence(right_side.first(n_values),
                                            right_side.subspan(n_values, n_values), parts.zeta, parts.delta);
    basis_.transform().analysis(temperature_log_ps,
                                {parts.temperature.data(), parts.temperature.size() + parts.log_ps.size()});
    const auto timer = this->solver_timer();
    waves_.add_geopotential(basis_, alpha, fields(state));
    implicit_waves_->solve(alpha, parts.zeta.data(), parts.delta.data(), costs_);
    waves_.subtract_divergence(basis_, alpha, fields(state));
    if (Base::kSolvesForChange) Base::add(now, state);
  }
  /// Adds a constant to ln ps, whose exponential has the mass as its mean.
  void fix_mass(const Spectrum& /*now*/, Spectrum& state, std::span<const Real> tracers_before,
                std::span<Real> tracers) override {
    const auto log_ps = split(state).log_ps;
    Values after(log_ps_.size());
    basis_.transform().synthesis(log_ps, after);
    std::vector<ExactSum> sums(2);
    const auto& areas = basis_.areas();
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double ps = surface_pressure(i);
      sums[0].add(areas[i] * ps);
      if (!tracers_before.empty()) sums[0].add(areas[i] * air_tracers_.gained_weight(i, ps, tracers_before));
      sums[1].add(areas[i] * pressure_of<Real>(after[i]));
    }
    const auto totals = basis_.totals(sums);
    const double log_factor = std::log(totals[0] / totals[1]);
    for (std::size_t c = 0; c < log_ps.size(); ++c)
      if (basis_.degrees()[c] == 0) log_ps[c] += static_cast<Real>(log_factor);
    if (tracers_.names.empty() || tracers.empty()) return;
    std::vector<double> ps, ps_after;
    for (std::size_t i = 0; i < after.size(); ++i) {
      ps.push_back(surface_pressure(i));
      ps_after.push_back(pressure_of<Real>(after[i] + log_factor));
    }
    air_tracers_.fix_masses(ps, ps_after, tracers_before, tracers);
  }

  physics::ColumnPhysics* physics() override { return physics_ ? &physics_->columns() : nullptr; }
  void begin_physics(double dt, bool is_on_grid) override {
    physics_->columns().begin_step(dt);
    if (is_on_grid)
      for_columns(
          [&](std::size_t first, std::size_t n) { physics_->compute(columns_, physics_fields(), first, n); });
    physics_phase_ = is_on_grid ? PhysicsPhase::kAdded : PhysicsPhase::kComputed;
  }
  void end_physics() override { physics_phase_ = PhysicsPhase::kNone; }
  void add_gravity_waves(const Spectrum& x, Spectrum& y) const override {
    waves_.add(basis_, fields(const_cast<Spectrum&>(x)), fields(y));
  }
  void solve_gravity_waves(double dt, Spectrum& x) override { waves_.solve(basis_, dt, fields(x)); }

  StepFailure check_state() const override {
    for (std::size_t i = 0; i < log_ps_.size(); ++i) {
      const double ps = surface_pressure(i);
      if (!std::isfinite(ps) || !(ps > air_.a.front()))
        return failure_at(i, "surface_pressure", ps, n_levels_ - 1);
      for (int k = 0; k < n_levels_; ++k) {
        const std::size_t here = at(k, i);
        const double thickness = air_.a[k + 1] - air_.a[k] + (air_.b[k + 1] - air_.b[k]) * ps;
        if (!(thickness > 0)) return failure_at(i, "surface_pressure", ps, k);
        if (!(temperature_[here] > 0) || !std::isfinite(temperature_[here]))
          return failure_at(i, "temperature", temperature_[here], k);
        if (!std::isfinite(zeta_[here])) return failure_at(i, "vorticity", zeta_[here], k);
        if (!std::isfinite(delta_[here])) return failure_at(i, "divergence", delta_[here], k);
        for (std::size_t t = 0; t < tracers_.names.size(); ++t)
          if (const double q = tracers_.values[t * u_.size() + here];
              !std::isfinite(q) || !(air_tracers_.loading(here) > 0))
            return failure_at(i, tracers_.names[t].c_str(), q, k);
        if (!std::isfinite(u_[here] + v_[here])) return failure_at(i, "eastward_wind", u_[here], k);
      }
    }
    return {};
  }
  /// The fastest gravity wave is the Lamb wave of an isothermal atmosphere: sqrt(R T / (1 - kappa)).
  Rates rates(std::size_t point, int level, bool waves) const override {
    const std::size_t here = at(level, point);
    if (air_.is_lagrangian) return {.horizontal = deformation_rate(basis_, zeta_[here], delta_[here])};
    const double kappa = air_.gas_constant / air_.heat_capacity;
    const double wave = waves ? std::sqrt(air_.gas_constant * temperature_[here] / (1 - kappa)) : 0;
    return {.horizontal = horizontal_rate(basis_, speed(u_[here], v_[here]) + wave),
            .vertical = vertical_flux_rates_[here]};
  }

  std::vector<double> product(const std::string& name) override {
    if (name == "eastward_wind") return {u_.begin(), u_.end()};
    if (name == "northward_wind") return {v_.begin(), v_.end()};
    if (name == "vorticity") return {zeta_.begin(), zeta_.end()};
    if (name == "divergence") return {delta_.begin(), delta_.end()};
    if (name == "temperature") return {temperature_.begin(), temperature_.end()};
    if (name == "surface_pressure") {
      std::vector<double> result;
      for (std::size_t i = 0; i < log_ps_.size(); ++i) result.push_back(surface_pressure(i));
      return result;
    }
    if (const auto& t_v = air_tracers_.virtual_temperature(); name == "virtual_temperature")
      return {t_v.begin(), t_v.end()};
    if (name == "atmosphere_mass_content_of_water_vapor") {
      std::vector<double> result(log_ps_.size());
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = air_tracers_.column_weight(0, i, surface_pressure(i)) / basis_.planet().gravity;
      return result;
    }
    std::vector<double> result(n_levels_ * basis_.n_points());
    for_columns([&](std::size_t first, std::size_t n) {
      for (int k = 0; k < n_levels_; ++k)
        for (std::size_t i = 0; i < n; ++i)
          result[at(k, first + i)] = column_product(name, k, i, at(k, first + i));
    });
    return result;
  }

  /// Mass sum A ps/g,  energy sum A (phi_s ps + sum_k Dp_k (K + c_p T))/g (Simmons and Burridge 1981),
  /// enstrophy sum A Dp/g (zeta + f)^2/2,  angular momentum sum A Dp/g a cos(phi) (u + Omega a cos(phi));
  /// the air above the highest level counts as dry
  std::vector<ExactSum> integrals() override {
    const std::size_t first_tracer = air_.is_moist ? 6 : 4;
    std::vector<ExactSum> sums(first_tracer + tracers_.names.size());
    const double g = basis_.planet().gravity;
    for_columns([&](std::size_t first, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t point = first + i;
        const double area = basis_.areas()[point], ps = columns_.surface_pressure(i);
        sums[0].add(area * (ps / g));
        sums[1].add(area * (orography_.geopotential()[point] * ps / g));
        for (int k = 0; k < n_levels_; ++k) {
          const std::size_t here = at(k, point);
          const double mass = area * (columns_.mass(k, i) / g),
                       absolute = zeta_[here] + basis_.coriolis()[point];
          sums[1].add(mass * (kinetic_energy(u_[here], v_[here]) + air_.heat_capacity * temperature_[here]));
          sums[2].add(mass * (absolute * absolute / 2));
          sums[3].add(mass * angular_momentum(basis_, point, u_[here], v_[here]));
        }
      }
    });
    for (std::size_t i = 0; i < log_ps_.size() && tracers_.size() > 0; ++i) {
      const double ps = surface_pressure(i), area = basis_.areas()[i] / g;
      double dry_ps = ps;
      for (int t = 0; t < tracers_.size(); ++t) {
        const double weight = air_tracers_.column_weight(t, i, ps);
        sums[first_tracer + t].add(area * weight);
        if (!air_.is_moist || t >= AirTracers<Real>::kWater) continue;
        dry_ps -= weight;
        sums[5].add(area * weight);
      }
      if (air_.is_moist) sums[4].add(area * dry_ps);
    }
    return sums;
  }

  std::vector<double> orography() const override { return orography_.height(); }
  std::size_t memory_bytes() const override {
    return (12 * n_levels_ + 5) * basis_.n_points() * sizeof(Real) + air_tracers_.memory_bytes() +
           bernoulli_.size() * sizeof(Coefficient<Real>) + waves_.memory_bytes() +
           (3 * terms_.values.size() + terms_.eta_velocity.size()) * sizeof(Real) +
           (implicit_waves_ ? implicit_waves_->memory_bytes() : 0) +
           (physics_ ? physics_->memory_bytes() : 0);
  }

 private:
  struct StateFields {
    std::span<Coefficient<Real>> zeta, delta, temperature, log_ps;
  };
  StateFields split(Spectrum& spectrum) const {
    StateSlices<Real> parts(spectrum, basis_.n_coefficients());
    const auto zeta = parts.next(n_levels_), delta = parts.next(n_levels_),
               temperature = parts.next(n_levels_);
    return {zeta, delta, temperature, parts.next(1)};
  }
  GravityWaves::Fields<Real> fields(Spectrum& spectrum) const {
    const auto parts = split(spectrum);
    return {parts.delta.data(), parts.temperature.data(), parts.log_ps.data()};
  }
  double surface_pressure(std::size_t point) const { return pressure_of<Real>(log_ps_[point]); }  ///< [Pa]
  std::size_t at(int level, std::size_t point) const { return level * basis_.n_points() + point; }
  /// Computes the terms of a semi-Lagrangian step, and maybe the physics.
  void compute_lagrangian_terms() {
    const auto n_values = static_cast<std::ptrdiff_t>(u_.size());
    const typename Columns<Real>::LagrangianTerms terms(terms_);
    std::ranges::copy(u_, terms_.values.begin());
    std::ranges::copy(v_, terms_.values.begin() + n_values);
    std::ranges::copy(temperature_, terms_.values.begin() + 2 * n_values);
    for (auto* values : {&p_, &q_, &grid_tendencies_})
      if (physics_) std::ranges::fill(*values, 0);
    for_columns([&](std::size_t first, std::size_t n) {
      columns_.compute_lagrangian_terms(grid_fields(), waves_, implicit_waves_->coriolis(), terms);
      for (int k = 0; k < n_levels_; ++k)
        for (std::size_t i = first; i < first + n; ++i)
          terms_.values[3 * n_values + at(k, i)] =
              static_cast<Real>(log_ps_[i] + orography_.geopotential()[i] / waves_.r_t_r());
      if (physics_phase_ == PhysicsPhase::kComputed) physics_->compute(columns_, physics_fields(), first, n);
    });
    if (physics_phase_ == PhysicsPhase::kComputed) physics_phase_ = PhysicsPhase::kAdded;
  }

  typename AirPhysics<Real>::Fields physics_fields() {
    return {.temperature = temperature_.data(),
            .u = u_.data(),
            .v = v_.data(),
            .surface_geopotential = orography_.geopotential().data(),
            .temperature_tendency = temperature_tendency_.data(),
            .u_tendency = p_.data(),
            .v_tendency = q_.data()};
  }
  typename Columns<Real>::GridFields grid_fields() const {
    return {.zeta = zeta_.data(),
            .delta = delta_.data(),
            .temperature = temperature_.data(),
            .u = u_.data(),
            .v = v_.data(),
            .t_x = t_x_.data(),
            .t_y = t_y_.data(),
            .log_ps = log_ps_.data(),
            .log_ps_x = log_ps_x_.data(),
            .log_ps_y = log_ps_y_.data(),
            .surface_geopotential = orography_.geopotential().data(),
            .t_v = air_.is_moist ? air_tracers_.virtual_temperature().data() : temperature_.data(),
            .t_v_x = air_.is_moist ? air_tracers_.gradient_x().data() : t_x_.data(),
            .t_v_y = air_.is_moist ? air_tracers_.gradient_y().data() : t_y_.data(),
            .surface_slope_x = orography_.slope_x().data(),
            .surface_slope_y = orography_.slope_y().data()};
  }
  /// Loads the columns block by block and calls work(first point, number of points) for each block.
  template <class Work>
  void for_columns(const Work& work) {
    for (std::size_t first = 0; first < basis_.n_points(); first += Columns<Real>::kWidth) {
      const std::size_t n = std::min(Columns<Real>::kWidth, basis_.n_points() - first);
      columns_.load(grid_fields(), first, n);
      work(first, n);
    }
  }
  /// An output variable at level k of point i of the block. @param here index in fields (level, point)
  double column_product(const std::string& name, int k, std::size_t i, std::size_t here) const {
    if (name == "pressure") return columns_.pressure(k, i);
    if (name == "potential_temperature")
      return temperature_[here] *
             std::pow(1e5 / columns_.pressure(k, i), air_.gas_constant / air_.heat_capacity);
    if (name == "geopotential_height") return columns_.geopotential(k, i) / basis_.planet().gravity;
    if (name == "relative_humidity")
      return physics::relative_humidity(columns_.pressure(k, i), temperature_[here], tracers_.values[here],
                                        air_.gas_constant / kVapourGasConstant);
    if (name == "pressure_velocity") return columns_.omega_over_p(k, i) * columns_.pressure(k, i);
    require<InternalError>(name == "kinetic_energy", "The product '{}' has no implementation.", name);
    return kinetic_energy(u_[here], v_[here]);
  }

  Basis<Real>& basis_;
  AirOptions air_;
  int n_levels_;
  Columns<Real> columns_;
  AirTracers<Real> air_tracers_;
  GravityWaves waves_;
  std::unique_ptr<ImplicitWaves<Real>> implicit_waves_;  ///< of semi-Lagrangian steps; null for others
  LagrangianTerms<Real> terms_;
  // Fields of one transform call are contiguous, in the order of a state; the spans below view their parts.
  Values fields_, derivatives_x_, derivatives_y_, grid_tendencies_;
  std::span<Real> zeta_, delta_, temperature_, log_ps_;     ///< parts of fields_
  std::span<Real> t_x_, log_ps_x_, t_y_, log_ps_y_;         ///< parts of derivatives_x_ and _y_
  std::span<Real> temperature_tendency_, log_ps_tendency_;  ///< parts of grid_tendencies_
  Values u_, v_, p_, q_, energy_, vertical_flux_rates_;     ///< (level, point)
  Orography<Real> orography_;
  Spectrum bernoulli_;                         ///< coefficients of energy_
  std::unique_ptr<AirPhysics<Real>> physics_;  ///< null without physics
  /// What `to_grid` does with the physics: nothing, computes and adds it, or adds the present tendencies.
  enum class PhysicsPhase { kNone, kComputed, kAdded } physics_phase_ = PhysicsPhase::kNone;
};

}  // namespace

EquationSet primitive() {
  return {{.name = "primitive",
           .text = "Hydrostatic primitive equations on hybrid pressure levels.",
           .references = "Simmons and Burridge (1981), Hoskins and Simmons (1975)",
           .only_with = {"baroclinic_wave", "held_suarez", "resting_mountain", "moist_baroclinic_wave"}},
          make_set<Primitive, double>,
          make_set<Primitive, float>,
          /*can_be_lagrangian=*/true,
          primitive_variables(),
          primitive_integral_variables()};
}

}  // namespace halcyon::spectral
