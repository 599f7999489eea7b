#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/physics/tracers.hpp"
#include "halcyon/semi_lagrangian/settls.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/time_scheme.hpp"

namespace halcyon::spectral {

struct ModelOptions {
  bool semi_implicit = false;
  std::optional<LagrangianOptions> semi_lagrangian = {};  ///< if given, the scheme is semi-Lagrangian
  Filter filter;
  Diffusion diffusion;
  /// Limit of the memory for precomputed Legendre functions; does not affect results.
  std::size_t memory_bytes = transform::Options{}.memory_bytes;

  /// @throws ConfigError for invalid values
  void validate() const {
    if (semi_lagrangian) semi_lagrangian->validate();
    require<ConfigError>(filter.strength >= 0 && filter.strength <= 1,
                         "filter is {}. Give a number from 0 to 1.", filter.strength);
    require<ConfigError>(filter.share >= 0.5 && filter.share <= 1,
                         "filter_share is {}. Give a number from 0.5 to 1.", filter.share);
    require<ConfigError>(diffusion.order >= 2 && diffusion.order <= 8 && diffusion.order % 2 == 0,
                         "The order of diffusion is {}. Give 2, 4, 6 or 8.", diffusion.order);
    require<ConfigError>(diffusion.time_scale >= 0 && std::isfinite(diffusion.time_scale),
                         "The time of diffusion is {} s. Give more than 0 s, or no diffusion.",
                         diffusion.time_scale);
  }
};

/// A spectral model: an equation set, a basis and a time scheme. Functions that compute are collective;
/// states, products and failures refer to the coefficients and points of this rank.
/// @tparam Real double, or float: states, fields at the points, and messages have 32 bits; positions, blocks
/// of columns, matrices, physics and global sums 64
template <class Real>
class Model {
 public:
  /// @param comm null for a single rank  @param equations the name of an equation set
  /// @throws ConfigError for invalid options, and a grid that does not fit the truncation or the sets
  Model(const comm::Communicator* comm, transform::SetCounts sets, const std::string& equations,
        transform::Grid grid, int truncation, const Planet& planet, const ModelOptions& options,
        const AirOptions& air)
      // The comma operator checks the options before members use them.
      : basis_((options.validate(), comm), sets, std::move(grid), truncation, planet, options.memory_bytes),
        set_(options::find("equation set of the spectral model", equation_sets(), equations)),
        equations_(make_equations(set_, basis_, air, options.semi_lagrangian)),
        scheme_(make_scheme(options)) {}

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Sets how ranks exchange data; does not affect results.
  /// @throws ConfigError as `Transform::set_exchange`
  void set_exchange(transform::ExchangeSettings settings) {
    previous_times_ = total_times();
    if (auto* advection = scheme_->advection())
      advection->set_exchange(level_groups_, settings.method, settings.progress);
    basis_.transform().set_exchange(std::move(settings));
  }
  const transform::BasicSharedTransform<Real>& transform() const { return basis_.transform(); }
  /// Returns the times of the transforms of one tendency evaluation, or semi-Lagrangian step, to the grid and
  /// back.
  std::pair<transform::Times, transform::Times> time_transforms() {
    const FlushDenormals flush_denormals;
    Spectrum<Real> change(scheme_->now().size());
    const auto to_grid = run_untimed([this] { equations_->to_grid(scheme_->now()); });
    const auto to_spectral = run_untimed([&] {
      if (scheme_->advection() == nullptr) return equations_->tendencies(change);
      auto values = equations_->lagrangian_terms().values;
      equations_->solve_linear_terms(values, /*alpha=*/0, scheme_->now(), change);
      if (fixes_mass_) equations_->fix_mass(scheme_->now(), change, {}, {});
    });
    return {to_grid, to_spectral};
  }

  void set(const GivenState& given) {
    basis_.set_rotation_axis(given.axis);
    run_untimed([&] { equations_->set(given, scheme_->now()); });
    scheme_->begin();
    is_on_grid_ = false;
    failure_ = {};
  }
  /// Collective. Resumes a run whose prognostic variables were restored, for all time levels, through
  /// `prognostic`. @param is_start the restored state is an initial state, without an earlier time level
  void resume(bool is_start) {
    const FlushDenormals flush_denormals;  // as in the step that computed these terms
    is_start ? scheme_->begin() : scheme_->resume();
    is_on_grid_ = false;
  }
  /// Returns the first failure of a step dt [s] from the present state; a dt too long is not recorded.
  StepFailure check_step(double dt) {
    diagnose();
    return failure_of(dt);
  }
  /// Takes one step [s]; records a failure of the state before the step.
  /// @param check forgets earlier failures; to be preceded by `check_step`
  void step(double dt, bool check) {
    if (check) failure_ = {};
    const FlushDenormals flush_denormals;
    const bool has_new_dt = is_on_grid_ && dt != dt_;
    dt_ = dt;
    if (equations_->physics() != nullptr) {
      const ScopedTimer timer(compute_s_);
      equations_->begin_physics(dt, is_on_grid_);
    }
    diagnose();
    if (has_new_dt) record_failure();
    if (auto* physics = equations_->physics()) record_failure(physics->failure());
    const ScopedTimer timer(compute_s_);
    scheme_->step(dt);
    equations_->end_physics();
    if (const auto& costs = equations_->solver_costs(); !costs.has_converged && !has_failed())
      failure_ = {.step = n_steps_, .variable = "implicit_gravity_waves", .value = costs.residual};
    ++n_steps_;
    is_on_grid_ = false;
  }

  /// Sets the clock of the column physics: the number of steps of the run so far, and the time of its start
  /// since 1970-01-01 00:00 UTC [s].
  void set_clock(std::int64_t n_steps, double start_date) {
    if (auto* physics = equations_->physics()) physics->set_clock(n_steps, start_date);
  }

  int n_levels() const { return equations_->n_levels(); }
  /// The variables of the equation set and of its column physics.
  std::vector<fields::Variable> variables() const {
    auto result = set_.variables;
    const auto& tracers = equations_->tracers();
    for (auto& row : result)  // see kLogReference
      if (std::is_same_v<Real, float> && row.name.starts_with("log_surface_pressure"))
        row.long_name += ", less ln(1e5)";
    std::erase_if(result, [&](const auto& row) {
      return (!equations_->is_moist() && physics::needs_water(row.name)) ||
             (physics::is_table_tracer(row.name) && std::ranges::count(tracers.names, row.name) == 0);
    });
    for (std::size_t t = 0; t < tracers.names.size(); ++t) {
      const auto& name = tracers.names[t];
      const auto values = fields::restart_variable(name + kValuesSuffix, {kLevelPoint}, "1",
                                                   fmt::format("mixing ratio of {} at the points", name));
      result.push_back(values);
      if (equations_->is_moist() && t < physics::kWaterTracers.size())
        result.push_back(fields::restart_variable(values.name + kPreviousSuffix, {kLevelPoint}, "1",
                                                  values.long_name + ", one step earlier"));
      if (physics::is_table_tracer(name)) continue;  // in the table of the equations
      result.push_back(physics::tracer_variable(name, "point"));
      result.back().restart = false;
    }
    if (auto* physics = equations_->physics())
      std::ranges::move(physics->variables("point"), std::back_inserter(result));
    return result;
  }
  /// The global integrals, in the order of `integrals`.
  std::vector<fields::Variable> integral_variables() const {
    auto result = set_.integral_variables;
    std::erase_if(result,
                  [&](const auto& row) { return !equations_->is_moist() && physics::needs_water(row.name); });
    for (const auto& name : equations_->tracers().names)
      result.push_back(physics::tracer_mass_variable(name));
    if (auto* physics = equations_->physics())
      for (auto& amount : physics->amounts()) result.push_back(std::move(amount.integral));
    return result;
  }
  const Basis<Real>& basis() const { return basis_; }
  const Equations<Real>& equations() const { return *equations_; }
  /// The variables that a restart with this time scheme needs.
  std::vector<fields::Variable> restart_variables() const {
    std::vector<fields::Variable> result;
    for (const auto& variable : variables())
      if (variable.restart && (scheme_->has_previous() || !variable.name.ends_with(kPreviousSuffix)))
        result.push_back(variable);
    return result;
  }
  /// Coefficients of a restart variable. @throws ConfigError for another name
  std::span<Coefficient<Real>> prognostic(const std::string& name) {
    for (const auto& [suffix, state] : scheme_->states()) {
      StateSlices<Real> parts(*state, basis_.n_coefficients());
      for (const auto& field : equations_->prognostics()) {
        const auto result = parts.next(field.n_levels);
        if (field.name + kCoefficientsSuffix + suffix == name) return result;
      }
    }
    throw ConfigError(
        fmt::format("'{}' is not a restart variable. Give a name of `restart_variables`.", name));
  }
  /// The values (level, point) of the restart variable of a tracer; empty for another name.
  std::span<Real> tracer_values(const std::string& name) {
    auto& tracers = equations_->tracers();
    for (const auto& tracer : tracers.names) {
      if (name == tracer + kValuesSuffix) return tracers.of(tracer);
      if (name == tracer + kValuesSuffix + kPreviousSuffix) return tracers.before(tracer);
    }
    return {};
  }
  const std::vector<std::string>& tracers() const { return equations().tracers().names; }
  /// The values of a field of the column physics, (point) or (point, level); empty for another name.
  std::span<double> physics_values(const std::string& name) {
    auto* physics = equations_->physics();
    return physics == nullptr ? std::span<double>{} : physics->values(name);
  }
  /// Returns output variables of the present state, (level, point) or (point).
  std::vector<std::vector<double>> products(const std::vector<std::string>& names) {
    std::vector<std::string> known;
    for (const auto& variable : variables())
      if (variable.output && !variable.cell_methods.empty())  // cell methods: the variable varies in time
        known.push_back(variable.name);
    for (const auto& name : names)
      require<ConfigError>(std::ranges::count(known, name) > 0,
                           "There is no product '{}' of these equations. There are: {}.", name,
                           fmt::join(known, ", "));
    diagnose();
    std::vector<std::vector<double>> result;
    run_untimed([&] {
      for (const auto& name : names) {
        const auto kept = physics_values(name), tracer = equations_->tracers().of(name);
        result.push_back(!tracer.empty() ? std::vector<double>(tracer.begin(), tracer.end())
                         : kept.empty()  ? equations_->product(name)
                                         : by_levels(kept));
      }
    });
    return result;
  }
  std::vector<double> integrals() {
    diagnose();
    auto sums = equations_->integrals();
    if (auto* physics = equations_->physics())
      for (const auto& amount : physics->amounts()) {
        const auto values = physics->values(amount.field);
        auto& sum = sums.emplace_back();
        for (std::size_t i = 0; i < values.size(); ++i) sum.add(basis_.areas()[i] * values[i]);
      }
    return basis_.totals(sums);
  }

  /// The longest stable step [s] at this rank's points, for a maximum wind of `least_speed` [m s-1] or more;
  /// for semi-Lagrangian steps, in which such a wind travels at most kGridLengths half wavelengths of the
  /// shortest wave, for accuracy.
  double longest_step(double least_speed = 0) {
    diagnose();
    const bool waves = !scheme_->has_implicit_waves();
    double highest_rate = scheme_->advection() == nullptr
                              ? horizontal_rate(basis_, least_speed)
                              : scheme_->limit() * least_speed / (kGridLengths * grid_length());
    for (int level = 0; level < n_levels(); ++level)
      for (std::size_t i = 0; i < basis_.n_points(); ++i) {
        const auto rates = equations_->rates(i, level, waves);
        highest_rate = std::max({highest_rate, rates.horizontal, rates.vertical});
      }
    return scheme_->limit() / highest_rate;
  }
  /// The first failure. States are checked before each step, and before products and integrals; that the
  /// solver did not converge is a failure implicit_gravity_waves of all ranks, without a point.
  const StepFailure& failure() const { return failure_; }
  /// Time of steps, products and integrals without communication [s].
  double compute_s() const {
    const auto halo = advection_costs();
    return compute_s_ - transforms().exchange_s - halo.start_s - halo.wait_s - solver_costs().exchange_s;
  }
  /// Times of semi-Lagrangian advection; zero for other steps.
  semi_lagrangian::Costs advection_costs() const {
    auto* advection = scheme_->advection();
    return advection == nullptr ? semi_lagrangian::Costs{} : advection->costs();
  }
  SolverCosts solver_costs() const { return equations_->solver_costs(); }
  /// Bytes that this rank receives for the halos of a semi-Lagrangian step.
  std::int64_t halo_bytes() const {
    auto* advection = scheme_->advection();
    return advection == nullptr ? 0 : advection->received_bytes();
  }
  /// Transform times of time steps; excludes initialization, products and `time_transforms`.
  transform::Times transforms() const { return total_times() - untimed_; }
  std::size_t memory_bytes() const {
    std::size_t n = basis_.n_points() * 4 * sizeof(double);  // fields of the basis
    auto& scheme = const_cast<TimeScheme<Real>&>(*scheme_);
    n += 5 * scheme.now().size() * sizeof(Coefficient<Real>);  // states, tendencies
    return n + equations_->memory_bytes() + scheme_->memory_bytes();
  }

 private:
  static constexpr double kGridLengths = 3;
  static constexpr double kSingleTolerance = 1e-6;  ///< smallest tolerance of gcr in 32 bits
  /// Half the shortest wavelength [m].
  double grid_length() const { return kPi * basis_.planet().radius / basis_.truncation(); }
  static std::unique_ptr<Equations<Real>> make_equations(const EquationSet& set, Basis<Real>& basis,
                                                         AirOptions air,
                                                         const std::optional<LagrangianOptions>& lagrangian) {
    require<ConfigError>(!lagrangian || set.can_be_lagrangian,
                         "The equations {} have no semi-Lagrangian form. Give shallow_water or primitive, or "
                         "another time scheme.",
                         set.name);
    require<ConfigError>((air.tracers.empty() && !air.is_moist) || lagrangian,
                         "Tracers and moist air need semi-Lagrangian advection. Take this, or give none.");
    air.tracers = physics::all_tracers(std::move(air.tracers), air.is_moist);
    air.is_lagrangian = lagrangian.has_value();
    if (lagrangian) air.solver = lagrangian->solver;
    require<ConfigError>(
        std::is_same_v<Real, double> || air.solver.solver == Solver::direct ||
            air.solver.tolerance >= kSingleTolerance,
        "The tolerance of the solver gcr is {}, but in 32 bits smaller residuals than {} are "
        "rounding. Give this tolerance or more, or 64 bits.",
        air.solver.tolerance, kSingleTolerance);
    if constexpr (std::is_same_v<Real, float>) {
      return set.make_single(basis, air);
    } else {
      return set.make(basis, air);
    }
  }
  std::unique_ptr<TimeScheme<Real>> make_scheme(const ModelOptions& options) {
    if (options.semi_lagrangian) {
      level_groups_ = options.semi_lagrangian->level_groups;
      fixes_mass_ = options.semi_lagrangian->mass_fixer;
      return make_semi_lagrangian(*equations_, basis_, options.diffusion, *options.semi_lagrangian);
    }
    if (options.semi_implicit)
      return make_semi_implicit(*equations_, basis_, options.diffusion, options.filter);
    return make_runge_kutta(*equations_, basis_, options.diffusion);
  }
  transform::Times total_times() const {
    auto sum = previous_times_;
    return sum += basis_.transform().times();
  }
  /// Runs work whose transforms are excluded from `transforms`, and whose solutions from `solver_costs`;
  /// returns the times of the transforms.
  template <class Work>
  transform::Times run_untimed(const Work& work) {
    const auto before = total_times();
    const auto solver_costs = equations_->solver_costs();
    work();
    equations_->solver_costs() = solver_costs;
    const auto work_times = total_times() - before;
    untimed_ += work_times;
    return work_times;
  }
  /// Transforms the present state to the grid and checks it.
  void diagnose() {
    if (is_on_grid_) return;
    const FlushDenormals flush_denormals;
    const ScopedTimer timer(compute_s_);
    equations_->to_grid(scheme_->now());
    is_on_grid_ = true;
    record_failure();
  }
  /// Returns values (point, level) as (level, point).
  std::vector<double> by_levels(std::span<const double> values) const {
    const std::size_t n = basis_.n_points(), rows = n == 0 ? 0 : values.size() / n;
    std::vector<double> result;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < n; ++i) result.push_back(values[i * rows + row]);
    return result;
  }
  bool has_failed() const { return failure_.point >= 0 || !failure_.variable.empty(); }
  void record_failure(const physics::SchemeFailure& failure) {
    if (failure.item >= 0 && !has_failed())
      failure_ = physics::step_failure<StepFailure>(failure.item, n_steps_, failure);
  }
  void record_failure() {
    if (!has_failed()) failure_ = failure_of(dt_);
  }
  /// Returns the first failure of a step dt from the state on the grid.
  StepFailure failure_of(double dt) const {
    auto result = equations_->check_state();
    const auto check = [&](std::size_t point, const char* name, int level, double value) {
      if (result.point < 0 && value > 1) result = failure_at(point, name, value, level);
    };
    const bool waves = !scheme_->has_implicit_waves();
    for (int level = 0; result.point < 0 && level < n_levels(); ++level)
      for (std::size_t i = 0; i < basis_.n_points(); ++i) {
        const auto rates = equations_->rates(i, level, waves);
        check(i, scheme_->advection() == nullptr ? "courant_number" : "deformation_number", level,
              dt * rates.horizontal / scheme_->limit());
        check(i, "vertical_courant_number", level, dt * rates.vertical / scheme_->limit());
      }
    result.step = n_steps_;
    return result;
  }

  Basis<Real> basis_;
  const EquationSet& set_;
  std::unique_ptr<Equations<Real>> equations_;
  int level_groups_ = 1;     ///< of the halos of semi-Lagrangian steps
  bool fixes_mass_ = false;  ///< in semi-Lagrangian steps
  std::unique_ptr<TimeScheme<Real>> scheme_;
  StepFailure failure_;
  bool is_on_grid_ = false;  ///< the present state is transformed to the grid
  double dt_ = 0;            ///< last time step [s]
  std::int64_t n_steps_ = 0;
  double compute_s_ = 0;
  transform::Times previous_times_;  ///< times before the last call of `set_exchange`
  transform::Times untimed_;         ///< times excluded from `transforms`
};

}  // namespace halcyon::spectral
