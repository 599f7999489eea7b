#include "halcyon/spectral/time_scheme.hpp"

#include <algorithm>

namespace halcyon::spectral {

void Diffusion::apply(const Basis& basis, const std::vector<Prognostic>& fields, double dt,
                      Spectrum& state) const {
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
        if (field.is_diffused) state[index] /= divisors[n];
        ++index;
      }
}

namespace {

std::size_t size_of(const Equations& equations, const Basis& basis) {
  std::size_t n = 0;
  for (const auto& field : equations.prognostics()) n += field.n_levels * basis.n_coefficients();
  return n;
}

class RungeKutta final : public TimeScheme {
 public:
  RungeKutta(Equations& equations, const Basis& basis, const Diffusion& diffusion)
      : TimeScheme(equations, size_of(equations, basis)),
        basis_(basis),
        diffusion_(diffusion),
        change_(now_.size()),
        stage_(now_.size()),
        sum_(now_.size()) {}

  /// k_1 = F(X), k_2 = F(X + dt/2 k_1), k_3 = F(X + dt/2 k_2), k_4 = F(X + dt k_3),
  /// X + dt/6 (k_1 + 2 k_2 + 2 k_3 + k_4)
  void step(double dt) override {
    sum_.assign(now_.size(), 0);
    const double offsets[] = {dt / 2, dt / 2, dt}, weights[] = {1, 2, 2, 1};
    for (int s = 0; s < 4; ++s) {
      if (s > 0) equations_.to_grid(stage_);
      equations_.tendencies(change_);
      for (std::size_t i = 0; i < now_.size(); ++i) {
        sum_[i] += weights[s] * change_[i];
        if (s < 3) stage_[i] = now_[i] + offsets[s] * change_[i];
      }
    }
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] += dt / 6 * sum_[i];
    diffusion_.apply(basis_, equations_.prognostics(), dt, now_);
  }
  /// Just below the stability limit for imaginary eigenvalues, 2 sqrt(2).
  double limit() const override { return 2.8; }

 private:
  const Basis& basis_;
  Diffusion diffusion_;
  Spectrum change_, stage_, sum_;  ///< k_s, X + offset k_s, sum of weights k_s
};

class SemiImplicit final : public TimeScheme {
 public:
  SemiImplicit(Equations& equations, const Basis& basis, const Diffusion& diffusion, const Filter& filter)
      : TimeScheme(equations, size_of(equations, basis)),
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
    for (auto& value : change_) value *= 2 * half_interval;
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
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const Complex d = filter_.strength / 2 * (previous_[i] - 2.0 * now_[i] + change_[i]);
      now_[i] += filter_.share * d;
      change_[i] += (filter_.share - 1) * d;
    }
  }

  const Basis& basis_;
  Diffusion diffusion_;
  Filter filter_;
  bool is_first_ = true;
  Spectrum previous_, change_, difference_;  ///< X-; the new time level; X- - X
};

}  // namespace

std::unique_ptr<TimeScheme> make_runge_kutta(Equations& equations, const Basis& basis,
                                             const Diffusion& diffusion) {
  return std::make_unique<RungeKutta>(equations, basis, diffusion);
}

std::unique_ptr<TimeScheme> make_semi_implicit(Equations& equations, const Basis& basis,
                                               const Diffusion& diffusion, const Filter& filter) {
  return std::make_unique<SemiImplicit>(equations, basis, diffusion, filter);
}

std::vector<options::RegistryEntry> time_schemes() {
  return {{.name = "runge_kutta", .text = "Fourth-order Runge-Kutta scheme."},
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
