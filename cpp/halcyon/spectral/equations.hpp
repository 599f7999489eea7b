#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/exact_sum.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/physics/columns.hpp"
#include "halcyon/spectral/basis.hpp"

namespace halcyon::spectral {

/// The prognostic fields, contiguous, each (level, coefficient).
template <class Real>
using Spectrum = std::vector<Coefficient<Real>>;

struct Prognostic {
  std::string name;
  int n_levels;
  bool is_diffused;  ///< hyperdiffusion acts on the field
};

/// An initial state given at the points. Fields that the equation set does not use may be empty.
struct GivenState {
  std::span<const double> orography;  ///< height of the orography [m] (point)
  /// Surface pressure [Pa], for shallow water height of the free surface [m] (point).
  std::span<const double> surface;
  std::span<const double> temperature;   ///< [K] (level, point)
  std::span<const double> east, north;   ///< wind [m s-1] (level, point)
  std::span<const double> tracers = {};  ///< mixing ratios [1] (tracer, level, point)
  Vector3 axis{0, 0, 1};                 ///< axis of rotation, a unit vector
};

/// Tracers of semi-Lagrangian steps: grid-point fields, which are not transformed to spectral space.
template <class Real>
struct GridTracers {
  std::vector<std::string> names = {};
  std::vector<Real> values = {};      ///< mixing ratios q [1] (tracer, level, point)
  std::vector<Real> tendencies = {};  ///< by the physics [s-1], as `values`; empty if none
  /// The first tracers one step earlier, of which the terms of that step depend: the water of moist air.
  std::vector<Real> water_before = {};

  int size() const { return static_cast<int>(names.size()); }
  /// The values (level, point) of a tracer; empty for another name.
  std::span<Real> of(const std::string& name) { return part(values, name); }
  /// The same of `water_before`.
  std::span<Real> before(const std::string& name) { return part(water_before, name); }
  std::span<Real> part(std::vector<Real>& all, const std::string& name) {
    const auto n = names.empty() ? 0 : values.size() / names.size();
    for (std::size_t t = 0; (t + 1) * n <= all.size(); ++t)
      if (n > 0 && names[t] == name) return std::span(all).subspan(t * n, n);
    return {};
  }
};

/// Where and why a state is invalid: a value is not finite or not physical, or the CFL condition is violated.
struct StepFailure {
  std::int64_t point = -1;    ///< the first affected point of this rank; -1: the state is valid
  std::int64_t step = 0;      ///< number of steps taken before the failure
  std::string variable = {};  ///< a name of the table of variables, or a Courant number
  int level = 0;
  double value = 0;
  std::string scheme = {};   ///< the scheme of the column physics that failed, if any
  std::string message = {};  ///< its error; empty if a tendency, `variable`, is not finite
};

/// The failure of a value at one of this rank's points.
inline StepFailure failure_at(std::size_t point, const char* variable, double value, int level = 0) {
  return {.point = static_cast<std::int64_t>(point), .variable = variable, .level = level, .value = value};
}

/// Frequencies that limit the time step [s-1].
struct Rates {
  double horizontal = 0;  ///< U k + 2 Omega: U wind speed (plus wave speed), k the largest wavenumber
  double vertical = 0;    ///< vertical mass flux over the mass of a level
};

/// The grid-point terms of a semi-Lagrangian step, each (field, level, point). Fields: eastward and northward
/// wind, scalars that move in three dimensions, and maybe a flat field, which moves along its level.
template <class Real>
struct LagrangianTerms {
  std::vector<Real> values;             ///< X
  std::vector<Real> nonlinear, linear;  ///< N and L X of dX/dt = N + L X
  std::vector<Real> eta_velocity;       ///< d(eta)/dt [s-1] (level, point); empty for one layer
};

/// What an equation set advects in a semi-Lagrangian step.
struct LagrangianFields {
  std::vector<double> eta{0};  ///< vertical coordinate of the levels
  int n_scalars = 0;
  bool has_flat = false;
  bool physics_at_departure = false;  ///< tendencies of the physics act before the advection, as on tracers
};

/// How the implicit equations of semi-Lagrangian steps are solved.
enum class Solver {
  direct,  ///< for each wavenumber
  gcr,     ///< by the generalised conjugate residual method, on the grid
};
/// @throws ConfigError for an unknown name
Solver solver_named(std::string_view name);
struct SolverOptions {
  Solver solver = Solver::direct;
  double tolerance = 1e-8;  ///< of gcr: bound of |b - A x| / |b|
};

/// Costs of the implicit equations of semi-Lagrangian steps on this rank, of all steps so far.
struct SolverCosts {
  double solve_s = 0;      ///< the solution, with its transforms and exchanges [s]
  double exchange_s = 0;   ///< the exchanges between V sets, or the waits for allreduces of gcr [s]
  double transform_s = 0;  ///< the transforms of gcr, with their exchanges [s]
  std::int64_t n_solutions = 0, n_iterations = 0, n_allreduces = 0;  ///< of gcr
  double residual = 0;        ///< of the last solution by gcr: |b - A x| / |b|
  bool has_converged = true;  ///< the last solution
};

/// An equation set in spectral space. Functions without a state argument use the last state of `to_grid`.
template <class Real>
class Equations {
 public:
  using Spectrum = spectral::Spectrum<Real>;

  virtual ~Equations() = default;

  virtual std::vector<Prognostic> prognostics() const = 0;
  virtual int n_levels() const { return 1; }
  /// Transforms given values to a truncated spectral state. @throws InternalError for wrong sizes
  virtual void set(const GivenState& given, Spectrum& state) = 0;

  /// Transforms a state to the points.
  virtual void to_grid(const Spectrum& state) = 0;
  /// Computes d(state)/dt.
  virtual void tendencies(Spectrum& change) = 0;

  /// The column physics; null without.
  virtual physics::ColumnPhysics* physics() { return nullptr; }
  /// Begins a step dt [s] with physics: computes its tendencies now, if the state has been transformed to the
  /// points, or else in the next call of `to_grid`. Until `end_physics`, `tendencies` includes them.
  virtual void begin_physics(double, bool /*is_on_grid*/) {}
  virtual void end_physics() {}

  /// y += L x, with the linear gravity-wave terms L about a state of rest.
  virtual void add_gravity_waves(const Spectrum& x, Spectrum& y) const = 0;
  /// Replaces x by (1 - dt L)^-1 x.
  virtual void solve_gravity_waves(double dt, Spectrum& x) = 0;

  // Semi-Lagrangian steps, of sets that are made for them. `to_grid` then computes the terms of the state,
  // and not its tendencies.

  /// What is advected; no levels if the set has no semi-Lagrangian form.
  virtual LagrangianFields lagrangian_fields() const { return {.eta = {}}; }
  virtual const LagrangianTerms<Real>& lagrangian_terms() const {
    throw InternalError("There are no such terms.");
  }
  /// Adds dt [s] times the tendencies of the physics to values at the points (LagrangianTerms, and tracers,
  /// to which theirs have been added).
  virtual void add_physics_tendencies(double /*dt*/, std::span<Real> /*values*/) const {}
  /// Transforms right-hand sides R at the points (LagrangianTerms) to spectral space, and solves X+ - alpha L
  /// X+ = R with the linear terms L of gravity waves and Coriolis force. In 32 bits, it solves for the change
  /// from the state `now`, which is on the grid,
  ///   (X+ - X) - alpha L (X+ - X) = R - X + alpha L X
  /// since rounded weights and Legendre functions multiply what is transformed by factors that differ from 1
  /// by rounding, the same in each step.
  virtual void solve_linear_terms(std::span<Real> /*right_side*/, double /*alpha*/, const Spectrum& /*now*/,
                                  Spectrum& /*state*/) {}
  const SolverCosts& solver_costs() const { return costs_; }
  SolverCosts& solver_costs() { return costs_; }
  const GridTracers<Real>& tracers() const { return tracers_; }
  GridTracers<Real>& tracers() { return tracers_; }
  virtual bool is_moist() const { return false; }  ///< the first tracers are those of water
  /// Collective. Gives a state the mass of the state `now`, which is on the grid, with the water that the
  /// physics adds, and each tracer its mass before the advection, by a factor. Tracers (tracer, level,
  /// point); those of an empty array are not fixed.
  virtual void fix_mass(const Spectrum& /*now*/, Spectrum& /*state*/,
                        std::span<const Real> /*tracers_before*/, std::span<Real> /*tracers*/) {}

  /// Returns the first invalid value; `point` is -1 for a valid state. Does not check the time step.
  virtual StepFailure check_state() const = 0;
  /// Returns the frequencies at a point and level. @param waves true to include gravity waves
  virtual Rates rates(std::size_t point, int level, bool waves) const = 0;

  /// Returns an output variable that varies in time, (level, point) or (point).
  virtual std::vector<double> product(const std::string& name) = 0;
  /// Returns this rank's contributions to the global integrals, in the order of `integral_variables`.
  virtual std::vector<ExactSum> integrals() = 0;
  /// Height of the truncated orography [m] (point).
  virtual std::vector<double> orography() const = 0;
  virtual std::size_t memory_bytes() const = 0;

 protected:
  static constexpr bool kSolvesForChange = std::is_same_v<Real, float>;
  /// R - X + alpha L X at the points, in place.
  void subtract_present(double alpha, std::span<Real> right_side) const {
    const auto& terms = lagrangian_terms();
    for (std::size_t i = 0; i < right_side.size(); ++i)
      right_side[i] = static_cast<Real>(right_side[i] - terms.values[i] + alpha * terms.linear[i]);
  }
  static void add(const Spectrum& now, Spectrum& state) {
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += now[i];
  }
  ScopedTimer solver_timer() { return ScopedTimer(costs_.solve_s); }
  SolverCosts costs_;
  GridTracers<Real> tracers_;
};

}  // namespace halcyon::spectral
