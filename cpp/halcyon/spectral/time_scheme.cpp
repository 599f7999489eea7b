#include "halcyon/spectral/time_scheme.hpp"

#include <algorithm>

namespace halcyon::spectral {

template <class Real>
void Diffusion::apply(const Basis<Real>& basis, const std::vector<Prognostic>& fields, double dt,
                      Spectrum<Real>& state) const {
  if (time_scale <= 0) return;
  const double T = basis.truncation(), shortest = std::max(1.0, T * (T + 1) - 2);
  std::vector<double> divisors;  // (degree)
  for (int n = 0; n <= basis.truncation(); ++n) {
    const double ratio = std::max(0.0, n * (n + 1.0) - 2) / shortest;
    double power = 1;
    for (int i = 0; i < order / 2; ++i) power *= ratio;
    divisors.push_back(1 + dt / time_scale * power);
  }
  std::size_t index = 0;
  for (const auto& field : fields)
    for (int level = 0; level < field.n_levels; ++level)
      for (const int n : basis.degrees()) {
        if (field.is_diffused) state[index] /= static_cast<Real>(divisors[n]);
        ++index;
      }
}

namespace {

template <class Real>
std::size_t size_of(const Equations<Real>& equations, const Basis<Real>& basis) {
  std::size_t n = 0;
  for (const auto& field : equations.prognostics()) n += field.n_levels * basis.n_coefficients();
  return n;
}

template <class Real>
class RungeKutta final : public TimeScheme<Real> {
  using Base = TimeScheme<Real>;
  using Base::equations_, Base::now_;

 public:
  using typename Base::Spectrum;

  RungeKutta(Equations<Real>& equations, const Basis<Real>& basis, const Diffusion& diffusion)
      : Base(equations, size_of(equations, basis)),
        basis_(basis),
        diffusion_(diffusion),
        change_(now_.size()),
        stage_(now_.size()),
        sum_(now_.size()) {}

  /// k_1 = F(X), k_2 = F(X + dt/2 k_1), k_3 = F(X + dt/2 k_2), k_4 = F(X + dt k_3),
  /// X + dt/6 (k_1 + 2 k_2 + 2 k_3 + k_4)
  void step(double dt) override {
    sum_.assign(now_.size(), 0);
    const auto whole = static_cast<Real>(dt), half = static_cast<Real>(dt / 2);
    const Real offsets[] = {half, half, whole}, weights[] = {1, 2, 2, 1};
    for (int s = 0; s < 4; ++s) {
      if (s > 0) equations_.to_grid(stage_);
      equations_.tendencies(change_);
      for (std::size_t i = 0; i < now_.size(); ++i) {
        sum_[i] += weights[s] * change_[i];
        if (s < 3) stage_[i] = now_[i] + offsets[s] * change_[i];
      }
    }
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] += static_cast<Real>(dt / 6) * sum_[i];
    diffusion_.apply(basis_, equations_.prognostics(), dt, now_);
  }
  /// Just below the stability limit for imaginary eigenvalues, 2 sqrt(2).
  double limit() const override { return 2.8; }

 private:
  const Basis<Real>& basis_;
  Diffusion diffusion_;
  Spectrum change_, stage_, sum_;  ///< k_s, X + offset k_s, sum of weights k_s
};

template <class Real>
class SemiImplicit final : public TimeScheme<Real> {
  using Base = TimeScheme<Real>;
  using Base::equations_, Base::now_;

 public:
  using typename Base::Spectrum;

  SemiImplicit(Equations<Real>& equations, const Basis<Real>& basis, const Diffusion& diffusion,
               const Filter& filter)
      : Base(equations, size_of(equations, basis)),
        basis_(basis),
        diffusion_(diffusion),
        filter_(filter),
        previous_(now_.size()),
        change_(now_.size()),
        difference_(now_.size()) {}

  /// (1 - dt L) (X+ - X-) = 2 dt (F(X) + L (X- - X)), X-, X, X+ the old, middle and new time level
  void step(double dt) override {
    if (is_first_) previous_ = now_;
    const double half_interval = is_first_ ? dt / 2 : dt;
    equations_.tendencies(change_);
    for (std::size_t i = 0; i < now_.size(); ++i) difference_[i] = previous_[i] - now_[i];
    equations_.add_gravity_waves(difference_, change_);
    for (auto& value : change_) value *= static_cast<Real>(2 * half_interval);
    equations_.solve_gravity_waves(half_interval, change_);
    for (std::size_t i = 0; i < now_.size(); ++i) change_[i] += previous_[i];
    diffusion_.apply(basis_, equations_.prognostics(), 2 * half_interval, change_);
    if (!is_first_) filter();
    std::swap(previous_, now_);
    std::swap(now_, change_);
    is_first_ = false;
  }
  void begin() override { is_first_ = true; }
  void resume() override { is_first_ = false; }
  std::vector<std::pair<const char*, Spectrum*>> states() override {
    return {{"", &now_}, {"_before", &previous_}};
  }
  /// The stability limit for imaginary eigenvalues.
  double limit() const override { return 1; }
  bool has_implicit_waves() const override { return true; }

 private:
  void filter() {
    constexpr Real kTwo = 2;
    const auto half_strength = static_cast<Real>(filter_.strength / 2),
               share = static_cast<Real>(filter_.share);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const auto d = half_strength * (previous_[i] - kTwo * now_[i] + change_[i]);
      now_[i] += share * d;
      change_[i] += (share - 1) * d;
    }
  }

  const Basis<Real>& basis_;
  Diffusion diffusion_;
  Filter filter_;
  bool is_first_ = true;
  Spectrum previous_, change_, difference_;  ///< X-; the new time level; X- - X
};

template <class Real>
class SemiLagrangian final : public TimeScheme<Real> {
  using Base = TimeScheme<Real>;
  using Base::equations_, Base::now_;

 public:
  using typename Base::Spectrum;

  SemiLagrangian(Equations<Real>& equations, const Basis<Real>& basis, const Diffusion& diffusion,
                 const LagrangianOptions& options)
      : Base(equations, size_of(equations, basis)),
        basis_(basis),
        diffusion_(diffusion),
        options_(options),
        previous_(now_.size()),
        next_(now_.size()),
        advection_(basis.communicator_or_null(), basis.transform().grid(), division(basis),
                   settls_options(equations, basis, options)) {}

  void step(double dt) override {
    const auto& [values, nonlinear, linear, eta_velocity] = equations_.lagrangian_terms();
    if (is_first_) remember();
    auto& tracers = equations_.tracers();
    const std::size_t n = values.size(), n_values = n / advection_.first_tracer();
    const bool physics_at_departure = equations_.lagrangian_fields().physics_at_departure;
    const double linear_share = (1 - options_.decentring) * dt / 2;
    const double ratio = dt_before_ > 0 ? dt / dt_before_ : 1;  // of steps, for the extrapolation
    fields_.resize(n + tracers.values.size()), arrived_.resize(fields_.size());
    for (std::size_t i = 0; i < n; ++i)
      fields_[i] =
          static_cast<Real>(values[i] + dt / 2 * ((1 + ratio) * nonlinear[i] - ratio * nonlinear_before_[i]) +
                            linear_share * linear[i]);
    for (std::size_t i = 0; i < tracers.values.size(); ++i)
      fields_[n + i] = static_cast<Real>(tracers.values[i] +
                                         (tracers.tendencies.empty() ? 0 : dt * tracers.tendencies[i]));
    if (physics_at_departure) equations_.add_physics_tendencies(dt, fields_);
    velocity_.resize(velocity_before_.size());
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      const double present = i < 2 * n_values ? values[i] : eta_velocity[i - 2 * n_values];
      velocity_[i] = static_cast<Real>((1 + ratio) * present - ratio * velocity_before_[i]);
    }
    const auto part = [&](const std::vector<Real>& from, std::size_t i) {
      return std::span(from).subspan(std::min(i * n_values, from.size()),
                                     (i + 1) * n_values <= from.size() ? n_values : 0);
    };
    advection_.advance({part(velocity_, 0), part(velocity_, 1), part(velocity_, 2)},
                       {part(values, 0), part(values, 1), eta_velocity}, dt, fields_, arrived_);
    for (std::size_t i = 0; i < n; ++i) arrived_[i] = static_cast<Real>(arrived_[i] + dt / 2 * nonlinear[i]);
    if (!physics_at_departure) equations_.add_physics_tendencies(dt, arrived_);
    equations_.solve_linear_terms(std::span(arrived_).first(n), (1 + options_.decentring) * dt / 2, now_,
                                  next_);
    diffusion_.apply(basis_, equations_.prognostics(), dt, next_);
    const auto arrived_tracers = std::span(arrived_).subspan(n);
    if (options_.mass_fixer) equations_.fix_mass(now_, next_, std::span(fields_).subspan(n), arrived_tracers);
    std::copy_n(tracers.values.begin(), tracers.water_before.size(), tracers.water_before.begin());
    std::ranges::copy(arrived_tracers, tracers.values.begin());
    remember();
    std::swap(previous_, now_);
    std::swap(now_, next_);
    is_first_ = false;
    dt_before_ = dt;
  }
  void begin() override { is_first_ = true, dt_before_ = 0; }
  void resume() override {
    auto& [names, water, tendencies, water_before] = equations_.tracers();
    std::ranges::swap_ranges(water_before, water);
    equations_.to_grid(previous_);
    remember();
    std::ranges::swap_ranges(water_before, water);
    is_first_ = false, dt_before_ = 0;
  }
  std::size_t memory_bytes() const override {
    std::size_t n = 0;
    for (const auto* values : {&nonlinear_before_, &velocity_before_, &velocity_, &fields_, &arrived_})
      n += values->size();
    return n * sizeof(Real) + advection_.memory_bytes();
  }
  std::vector<std::pair<const char*, Spectrum*>> states() override {
    return {{"", &now_}, {"_before", &previous_}};
  }
  double limit() const override { return 2; }
  bool has_implicit_waves() const override { return true; }
  semi_lagrangian::BasicSettls<Real>* advection() override { return &advection_; }

 private:
  static semi_lagrangian::Division division(const Basis<Real>& basis) {
    const auto& sets = basis.transform().sets();
    std::vector<Rank> w_of_row(basis.transform().grid().n_rows());
    for (int w = 0; w < sets.counts().w; ++w)
      for (const int row : sets.rows(w)) w_of_row[row] = w;
    return {basis.transform().grid(), std::move(w_of_row), sets.counts()};
  }
  static semi_lagrangian::SettlsOptions settls_options(const Equations<Real>& equations,
                                                       const Basis<Real>& basis,
                                                       const LagrangianOptions& options) {
    const auto fields = equations.lagrangian_fields();
    return {.eta = fields.eta,
            .n_scalars = fields.n_scalars,
            .has_flat = fields.has_flat,
            .n_tracers = equations.tracers().size(),
            .interpolation = options.interpolation,
            .monotone = options.monotone,
            .monotone_tracers = options.monotone_tracers,
            .halo = options.halo,
            .n_groups = options.level_groups,
            .radius = basis.planet().radius};
  }
  /// Keeps N and the velocity of the state on the grid, for the next step.
  void remember() {
    const auto& terms = equations_.lagrangian_terms();
    nonlinear_before_ = terms.nonlinear;
    const auto n_wind = static_cast<std::ptrdiff_t>(2 * terms.values.size() / advection_.first_tracer());
    velocity_before_.assign(terms.values.begin(), terms.values.begin() + n_wind);
    velocity_before_.insert(velocity_before_.end(), terms.eta_velocity.begin(), terms.eta_velocity.end());
  }

  const Basis<Real>& basis_;
  Diffusion diffusion_;
  LagrangianOptions options_;
  bool is_first_ = true;
  double dt_before_ = 0;  ///< the previous step [s]; 0: unknown, taken as the present one
  Spectrum previous_, next_;
  semi_lagrangian::BasicSettls<Real> advection_;
  /// N and the velocity of the previous step; the extrapolated velocity: (component, level, point).
  std::vector<Real> nonlinear_before_, velocity_before_, velocity_;
  std::vector<Real> fields_, arrived_;  ///< {..}_D before and after the advection (field, level, point)
};

}  // namespace

void LagrangianOptions::validate() const {
  require<ConfigError>(decentring >= 0 && decentring <= 1, "decentring is {}. Give a number from 0 to 1.",
                       decentring);
  require<ConfigError>(solver.tolerance >= 1e-12 && solver.tolerance <= 1e-4,
                       "tolerance is {}. Give a number from 1e-12 to 1e-4.", solver.tolerance);
}

template <class Real>
std::unique_ptr<TimeScheme<Real>> make_semi_lagrangian(Equations<Real>& equations, const Basis<Real>& basis,
                                                       const Diffusion& diffusion,
                                                       const LagrangianOptions& options) {
  return std::make_unique<SemiLagrangian<Real>>(equations, basis, diffusion, options);
}

template <class Real>
std::unique_ptr<TimeScheme<Real>> make_runge_kutta(Equations<Real>& equations, const Basis<Real>& basis,
                                                   const Diffusion& diffusion) {
  return std::make_unique<RungeKutta<Real>>(equations, basis, diffusion);
}

template <class Real>
std::unique_ptr<TimeScheme<Real>> make_semi_implicit(Equations<Real>& equations, const Basis<Real>& basis,
                                                     const Diffusion& diffusion, const Filter& filter) {
  return std::make_unique<SemiImplicit<Real>>(equations, basis, diffusion, filter);
}

template std::unique_ptr<TimeScheme<double>> make_semi_lagrangian(Equations<double>&, const Basis<double>&,
                                                                  const Diffusion&, const LagrangianOptions&);
template std::unique_ptr<TimeScheme<double>> make_runge_kutta(Equations<double>&, const Basis<double>&,
                                                              const Diffusion&);
template std::unique_ptr<TimeScheme<double>> make_semi_implicit(Equations<double>&, const Basis<double>&,
                                                                const Diffusion&, const Filter&);
template std::unique_ptr<TimeScheme<float>> make_semi_lagrangian(Equations<float>&, const Basis<float>&,
                                                                 const Diffusion&, const LagrangianOptions&);
template std::unique_ptr<TimeScheme<float>> make_runge_kutta(Equations<float>&, const Basis<float>&,
                                                             const Diffusion&);
template std::unique_ptr<TimeScheme<float>> make_semi_implicit(Equations<float>&, const Basis<float>&,
                                                               const Diffusion&, const Filter&);

std::vector<options::RegistryEntry> time_schemes() {
  return {
      {.name = "runge_kutta", .text = "Fourth-order Runge-Kutta scheme."},
      {.name = "semi_lagrangian",
       .text = "Two-time-level semi-Lagrangian semi-implicit scheme (SETTLS).",
       .references = "Hortal (2002), Temperton (1997)",
       .options = {{.name = "interpolation",
                    .value = std::string("cubic"),
                    .text = "Interpolation at departure points.",
                    .names = {"linear", "quasi_cubic", "cubic"}},
                   {.name = "monotone",
                    .value = false,
                    .text = "Limits interpolated scalars to the values around the departure point."},
                   {.name = "monotone_tracers",
                    .value = true,
                    .text = "Limits interpolated tracers in the same way, so that none becomes negative."},
                   {.name = "decentring",
                    .value = LagrangianOptions{}.decentring,
                    .text = "Decentring epsilon of the linear terms in time: weight (1 + epsilon)/2 of "
                            "the new time level.",
                    .minimum = 0,
                    .maximum = 1},
                   {.name = "solver",
                    .value = std::string("direct"),
                    .text = "Solver of the implicit equations: direct for each wavenumber, or by the "
                            "generalised conjugate residual method on the grid.",
                    .names = {"direct", "gcr"}},
                   {.name = "tolerance",
                    .value = SolverOptions{}.tolerance,
                    .text = "Relative residual |b - A x| / |b| at which the solver gcr stops.",
                    .minimum = 1e-12,
                    .maximum = 1e-4},
                   {.name = "mass_fixer",
                    .value = true,
                    .text = "Keeps the mass of the fluid, by a factor of the surface pressure, or a "
                            "constant added to the thickness; and that of each tracer, by a factor."}}},
      {.name = "semi_implicit",
       .text = "Semi-implicit leapfrog scheme with implicit gravity waves.",
       .options = {{.name = "filter",
                    .value = Filter{}.strength,
                    .text = "Strength nu of the Robert-Asselin time filter of semi_implicit.",
                    .minimum = 0,
                    .maximum = 1},
                   {.name = "filter_share",
                    .value = Filter{}.share,
                    .text = "Weight alpha of the middle time level in the time filter (Williams 2009); "
                            "1: Robert-Asselin.",
                    .minimum = 0.5,
                    .maximum = 1}}}};
}

}  // namespace halcyon::spectral
