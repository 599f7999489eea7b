#include <cmath>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/implicit_waves.hpp"

namespace halcyon::spectral {
namespace {

/// Shallow water with geopotential thickness Phi over Phi_s (Williamson et al. 1992, equations 2-5):
///   d(zeta)/dt = curl(P, Q),  d(delta)/dt = div(P, Q) - del^2 (Phi + Phi_s + (u^2 + v^2)/2),
///   d(Phi)/dt = -div(Phi v),  P = (zeta + f) v,  Q = -(zeta + f) u
template <class Real>
class ShallowWater final : public Equations<Real> {
  using Base = Equations<Real>;
  using Values = std::vector<Real>;

 public:
  using typename Base::Spectrum;

  ShallowWater(Basis<Real>& basis, const AirOptions& options)
      : basis_(basis),
        is_lagrangian_(options.is_lagrangian),
        solver_(options.solver),
        fields_(3 * basis.n_points()),
        zeta_(std::span(fields_).first(basis.n_points())),
        delta_(std::span(fields_).subspan(basis.n_points(), basis.n_points())),
        phi_(std::span(fields_).last(basis.n_points())),
        orography_(basis),
        bernoulli_(basis.n_coefficients()),
        unused_(basis.n_coefficients()) {
    for (auto* values : {&u_, &v_, &p_, &q_, &energy_}) values->resize(basis.n_points());
    if (!is_lagrangian_) return;
    for (auto* values : {&terms_.values, &terms_.nonlinear, &terms_.linear}) values->resize(3 * u_.size());
  }

  std::vector<Prognostic> prognostics() const override {
    return {{.name = "vorticity", .n_levels = 1, .is_diffused = true},
            {.name = "divergence", .n_levels = 1, .is_diffused = true},
            {.name = "thickness", .n_levels = 1, .is_diffused = false}};
  }

  void set(const GivenState& given, Spectrum& state) override {
    const double g = basis_.planet().gravity;
    const std::size_t n = basis_.n_points();
    require_size("wind", given.east.size(), n);
    require_size("surface", given.surface.size(), n);
    auto [zeta, delta, phi] = split(state);
    basis_.transform().vorticity_divergence(converted<Real>(given.east), converted<Real>(given.north), zeta,
                                            delta);
    orography_.set(given.orography);
    auto& thickness = energy_;  // a work array here
    for (std::size_t i = 0; i < n; ++i)
      thickness[i] = static_cast<Real>(g * (given.surface[i] - given.orography[i]));
    basis_.transform().analysis(thickness, phi);
    reference_geopotential_ = is_lagrangian_ ? kLagrangianReference * basis_.maximum(thickness)
                                             : global_mean<Real>(basis_, thickness);
    if (is_lagrangian_) waves_ = make_implicit_waves(basis_, solver_, VerticalModes(reference_geopotential_));
  }

  void to_grid(const Spectrum& state) override {
    auto [zeta, delta, phi] = split(const_cast<Spectrum&>(state));
    auto& transform = basis_.transform();
    if (transform.shares_coefficients()) {
      transform.synthesis_and_winds(zeta, delta, phi, zeta_, delta_, phi_, u_, v_);
    } else {
      transform.synthesis(state, fields_);  // a single call for all fields
      transform.winds(zeta, delta, u_, v_);
    }
    if (is_lagrangian_) compute_lagrangian_terms(phi);
  }

  void tendencies(Spectrum& change) override {
    auto [zeta, delta, phi] = split(change);
    const auto& ground = orography_.geopotential();
    for (std::size_t i = 0; i < u_.size(); ++i) {
      p_[i] = phi_[i] * u_[i];  // here the flux of Phi
      q_[i] = phi_[i] * v_[i];
      energy_[i] = static_cast<Real>(phi_[i] + ground[i] + kinetic_energy(u_[i], v_[i]));
    }
    basis_.transform().vorticity_divergence(p_, q_, unused_, phi);
    vorticity_flux<Real>(basis_, zeta_, u_, v_, p_, q_);
    basis_.transform().vorticity_divergence(p_, q_, zeta, delta);
    basis_.transform().analysis(energy_, bernoulli_);
    for (std::size_t k = 0; k < phi.size(); ++k) {
      delta[k] +=
          static_cast<Real>(basis_.eigenvalues()[k]) * bernoulli_[k];  // eigenvalues of minus the Laplacian
      phi[k] = -phi[k];
    }
  }

  LagrangianFields lagrangian_fields() const override { return {.n_scalars = 1}; }
  const LagrangianTerms<Real>& lagrangian_terms() const override { return terms_; }
  void solve_linear_terms(std::span<Real> right_side, double alpha, const Spectrum& now,
                          Spectrum& state) override {
    if (Base::kSolvesForChange) this->subtract_present(alpha, right_side);
    auto [zeta, delta, phi] = split(state);
    const std::size_t n = phi_.size();
    const auto thickness = right_side.subspan(2 * n, n);
    for (std::size_t i = 0; !Base::kSolvesForChange && i < n; ++i)
      thickness[i] -= orography_.geopotential()[i];
    basis_.transform().vorticity_divergence(right_side.first(n), right_side.subspan(n, n), zeta, delta);
    basis_.transform().analysis(thickness, phi);
    const auto timer = this->solver_timer();
    for (std::size_t k = 0; k < phi.size(); ++k)
      delta[k] += static_cast<Real>(alpha * basis_.eigenvalues()[k]) * phi[k];
    waves_->solve(alpha, zeta.data(), delta.data(), this->costs_);
    for (std::size_t k = 0; k < phi.size(); ++k)
      phi[k] -= static_cast<Real>(alpha * reference_geopotential_) * delta[k];
    if (Base::kSolvesForChange) Base::add(now, state);
  }
  /// The mass is the coefficient n = 0 of Phi.
  void fix_mass(const Spectrum& now, Spectrum& state, std::span<const Real> /*tracers_before*/,
                std::span<Real> /*tracers*/) override {
    auto phi = split(state).phi;
    const auto phi_now = split(const_cast<Spectrum&>(now)).phi;
    for (std::size_t k = 0; k < phi.size(); ++k)
      if (basis_.degrees()[k] == 0) phi[k] = phi_now[k];
  }

  /// d(delta)/dt = -del^2 Phi,  d(Phi)/dt = -Phi_0 delta
  void add_gravity_waves(const Spectrum& x, Spectrum& y) const override {
    auto [_, delta, phi] = split(const_cast<Spectrum&>(x));
    auto [unused, delta_tendency, phi_tendency] = split(y);
    for (std::size_t k = 0; k < phi.size(); ++k) {
      delta_tendency[k] += static_cast<Real>(basis_.eigenvalues()[k]) * phi[k];
      phi_tendency[k] -= static_cast<Real>(reference_geopotential_) * delta[k];
    }
  }
  void solve_gravity_waves(double dt, Spectrum& x) override {
    auto [_, delta, phi] = split(x);
    for (std::size_t k = 0; k < phi.size(); ++k) {
      const double lambda = basis_.eigenvalues()[k];
      delta[k] = (delta[k] + static_cast<Real>(dt * lambda) * phi[k]) /
                 static_cast<Real>(1 + dt * dt * lambda * reference_geopotential_);
      phi[k] -= static_cast<Real>(dt * reference_geopotential_) * delta[k];
    }
  }

  StepFailure check_state() const override {
    for (std::size_t i = 0; i < phi_.size(); ++i) {
      if (!(phi_[i] > 0) || !std::isfinite(phi_[i]))
        return failure_at(i, "thickness", phi_[i] / basis_.planet().gravity);
      if (!std::isfinite(zeta_[i])) return failure_at(i, "vorticity", zeta_[i]);
      if (!std::isfinite(delta_[i])) return failure_at(i, "divergence", delta_[i]);
      if (!std::isfinite(u_[i] + v_[i])) return failure_at(i, "eastward_wind", u_[i]);
    }
    return {};
  }
  Rates rates(std::size_t i, int, bool waves) const override {
    if (is_lagrangian_) return {.horizontal = deformation_rate(basis_, zeta_[i], delta_[i])};
    return {.horizontal = horizontal_rate(basis_, speed(u_[i], v_[i]) + (waves ? std::sqrt(phi_[i]) : 0))};
  }

  std::vector<double> product(const std::string& name) override {
    if (name == "eastward_wind") return {u_.begin(), u_.end()};
    if (name == "northward_wind") return {v_.begin(), v_.end()};
    if (name == "vorticity") return {zeta_.begin(), zeta_.end()};
    if (name == "divergence") return {delta_.begin(), delta_.end()};
    const double g = basis_.planet().gravity;
    const auto& ground = orography_.geopotential();
    std::vector<double> result(phi_.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (name == "height") {
        result[i] = (phi_[i] + ground[i]) / g;
      } else if (name == "thickness") {
        result[i] = phi_[i] / g;
      } else if (name == "potential_vorticity") {
        result[i] = (zeta_[i] + basis_.coriolis()[i]) / (phi_[i] / g);
      } else {
        require<InternalError>(name == "kinetic_energy", "The product '{}' has no implementation.", name);
        result[i] = kinetic_energy(u_[i], v_[i]);
      }
    }
    return result;
  }

  /// Mass sum A h,  energy sum A h (K + g (h/2 + b)),  potential enstrophy sum A (zeta + f)^2 / (2 h),
  /// angular momentum sum A h a cos(phi) (u + Omega a cos(phi))
  std::vector<ExactSum> integrals() override {
    std::vector<ExactSum> sums(4);
    const double g = basis_.planet().gravity;
    for (std::size_t i = 0; i < phi_.size(); ++i) {
      const double h = phi_[i] / g, mass = basis_.areas()[i] * h;
      const double absolute = zeta_[i] + basis_.coriolis()[i];
      sums[0].add(mass);
      sums[1].add(mass * (kinetic_energy(u_[i], v_[i]) + phi_[i] / 2 + orography_.geopotential()[i]));
      sums[2].add(basis_.areas()[i] * (absolute * absolute / (2 * h)));
      sums[3].add(mass * angular_momentum(basis_, i, u_[i], v_[i]));
    }
    return sums;
  }

  std::vector<double> orography() const override { return orography_.height(); }
  std::size_t memory_bytes() const override {
    return (9 * phi_.size() + 3 * terms_.values.size()) * sizeof(Real) +
           2 * unused_.size() * sizeof(Coefficient<Real>) + (waves_ ? waves_->memory_bytes() : 0);
  }

 private:
  static constexpr double kLagrangianReference = 1.25;  ///< Phi_0 over the largest initial thickness
  struct StateFields {
    std::span<Coefficient<Real>> zeta, delta, phi;
  };
  StateFields split(Spectrum& spectrum) const {
    StateSlices<Real> parts(spectrum, basis_.n_coefficients());
    const auto zeta = parts.next(1), delta = parts.next(1), phi = parts.next(1);
    return {zeta, delta, phi};
  }
  /// The terms of
  ///   dv/dt = -f k x v - grad(Phi + Phi_s),  d(Phi + Phi_s)/dt = -Phi delta + v . grad(Phi_s)
  /// with the linear terms -f_L k x v - grad(Phi), f_L that of the solver, and -Phi_0 delta.
  void compute_lagrangian_terms(std::span<const Coefficient<Real>> phi) {
    basis_.transform().gradient(phi, p_, q_);
    const std::size_t n = phi_.size();
    auto& [values, nonlinear, linear, _] = terms_;
    for (std::size_t i = 0; i < n; ++i) {
      const double implicit_f = waves_->coriolis()[i], other_f = basis_.coriolis()[i] - implicit_f;
      const double slope_x = orography_.slope_x()[i], slope_y = orography_.slope_y()[i];
      values[i] = u_[i], values[n + i] = v_[i];
      values[2 * n + i] = phi_[i] + orography_.geopotential()[i];
      linear[i] = static_cast<Real>(implicit_f * v_[i] - p_[i]);
      linear[n + i] = static_cast<Real>(-implicit_f * u_[i] - q_[i]);
      linear[2 * n + i] = static_cast<Real>(-reference_geopotential_ * delta_[i]);
      nonlinear[i] = static_cast<Real>(other_f * v_[i] - slope_x);
      nonlinear[n + i] = static_cast<Real>(-other_f * u_[i] - slope_y);
      nonlinear[2 * n + i] = static_cast<Real>((reference_geopotential_ - phi_[i]) * delta_[i] +
                                               u_[i] * slope_x + v_[i] * slope_y);
    }
  }

  Basis<Real>& basis_;
  bool is_lagrangian_;
  LagrangianTerms<Real> terms_;
  SolverOptions solver_;
  std::unique_ptr<ImplicitWaves<Real>> waves_;  ///< of semi-Lagrangian steps
  Values fields_;  ///< the fields of a state, contiguous because one call transforms them
  std::span<Real> zeta_, delta_, phi_;  ///< parts of fields_
  Values u_, v_, p_, q_, energy_;       ///< (point); energy: Phi + Phi_s + (u^2 + v^2)/2
  Orography<Real> orography_;
  Spectrum bernoulli_, unused_;  ///< coefficients of energy_; a result that is not needed
  /// Phi_0 [m2 s-2]: the mean, or, for semi-Lagrangian steps, more than the largest thickness, since they are
  /// stable only if waves are faster in the reference state (Simmons and Temperton 1997).
  double reference_geopotential_ = 0;
};

std::vector<fields::Variable> variables() {
  std::vector<fields::Variable> table;
  add_restart_variables(table, "vorticity", "s-1", "relative vorticity");
  add_restart_variables(table, "divergence", "s-1", "the wind's divergence");
  add_restart_variables(table, "thickness", "m2 s-2", "the fluid's thickness times gravity");
  add_surface_variable(table, "height", "m", "", "height of the fluid's surface");
  add_surface_variable(table, "thickness", "m", "", "thickness of the fluid");
  add_surface_variable(table, "eastward_wind", "m s-1", "eastward_wind", "eastward wind");
  add_surface_variable(table, "northward_wind", "m s-1", "northward_wind", "northward wind");
  add_surface_variable(table, "vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity");
  add_surface_variable(table, "potential_vorticity", "m-1 s-1", "", "potential vorticity");
  add_surface_variable(table, "divergence", "s-1", "divergence_of_wind", "divergence of the wind");
  add_surface_variable(table, "kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass");
  table.push_back(topography_variable("point"));
  return table;
}

}  // namespace

EquationSet shallow_water() {
  return {{.name = "shallow_water",
           .text = "Shallow-water equations.",
           .references = "Williamson et al. (1992)",
           .only_with = {"solid_rotation", "thin_layer", "mountain", "rossby_haurwitz", "barotropic_jet",
                         "modons"}},
          make_set<ShallowWater, double>,
          make_set<ShallowWater, float>,
          /*can_be_lagrangian=*/true,
          variables(),
          {integral_variable("mass", "m3", "volume of the fluid"),
           integral_variable("energy", "m5 s-2", "kinetic and potential energy over density"),
           integral_variable("potential_enstrophy", "m s-2",
                             "half the thickness times the potential vorticity squared"),
           integral_variable("angular_momentum", "m5 s-1",
                             "angular momentum around the axis of the planet over density")}};
}

}  // namespace halcyon::spectral
