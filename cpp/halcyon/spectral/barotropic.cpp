#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/spectral/equation_set.hpp"

namespace halcyon::spectral {
namespace {

/// Nondivergent barotropic vorticity equation:  d(zeta)/dt = -div((zeta + f) v)      (Charney et al. 1950)
template <class Real>
class Barotropic final : public Equations<Real> {
  using Values = std::vector<Real>;

 public:
  using typename Equations<Real>::Spectrum;

  Barotropic(Basis<Real>& basis, const AirOptions&) : basis_(basis), unused_(basis.n_coefficients()) {
    for (auto* values : {&zeta_, &u_, &v_, &p_, &q_}) values->resize(basis.n_points());
  }

  std::vector<Prognostic> prognostics() const override {
    return {{.name = "vorticity", .n_levels = 1, .is_diffused = true}};
  }

  void set(const GivenState& given, Spectrum& state) override {
    require_size("wind", given.east.size(), basis_.n_points());
    basis_.transform().vorticity_divergence(converted<Real>(given.east), converted<Real>(given.north), state,
                                            unused_);
  }

  void to_grid(const Spectrum& state) override {
    basis_.transform().synthesis_and_winds(state, zeta_, u_, v_);
  }

  void tendencies(Spectrum& change) override {
    vorticity_flux<Real>(basis_, zeta_, u_, v_, p_, q_);
    basis_.transform().vorticity_divergence(p_, q_, change, unused_);
  }

  void add_gravity_waves(const Spectrum&, Spectrum&) const override {}
  void solve_gravity_waves(double, Spectrum&) override {}

  StepFailure check_state() const override {
    for (std::size_t i = 0; i < zeta_.size(); ++i) {
      if (!std::isfinite(zeta_[i])) return failure_at(i, "vorticity", zeta_[i]);
      if (!std::isfinite(u_[i] + v_[i])) return failure_at(i, "eastward_wind", u_[i]);
    }
    return {};
  }
  Rates rates(std::size_t point, int, bool) const override {
    return {.horizontal = horizontal_rate(basis_, speed(u_[point], v_[point]))};
  }

  std::vector<double> product(const std::string& name) override {
    if (name == "eastward_wind") return {u_.begin(), u_.end()};
    if (name == "northward_wind") return {v_.begin(), v_.end()};
    if (name == "vorticity") return {zeta_.begin(), zeta_.end()};
    if (name == "stream_function") return stream_function();
    std::vector<double> result(zeta_.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] =
          name == "absolute_vorticity" ? zeta_[i] + basis_.coriolis()[i] : kinetic_energy(u_[i], v_[i]);
    require<InternalError>(name == "absolute_vorticity" || name == "kinetic_energy",
                           "The product '{}' has no implementation.", name);
    return result;
  }

  /// Energy A K, enstrophy A (zeta + f)^2 / 2, angular momentum A a cos(phi) (u + Omega a cos(phi))
  std::vector<ExactSum> integrals() override {
    std::vector<ExactSum> sums(3);
    for (std::size_t i = 0; i < zeta_.size(); ++i) {
      const double area = basis_.areas()[i], absolute = zeta_[i] + basis_.coriolis()[i];
      sums[0].add(area * kinetic_energy(u_[i], v_[i]));
      sums[1].add(area * (absolute * absolute / 2));
      sums[2].add(area * angular_momentum(basis_, i, u_[i], v_[i]));
    }
    return sums;
  }

  std::vector<double> orography() const override { return std::vector<double>(zeta_.size()); }
  std::size_t memory_bytes() const override {
    return 5 * zeta_.size() * sizeof(Real) + unused_.size() * sizeof(Coefficient<Real>);
  }

 private:
  std::vector<double> stream_function() {
    Spectrum psi(basis_.n_coefficients());
    basis_.transform().analysis(zeta_, psi);
    for (std::size_t k = 0; k < psi.size(); ++k)
      psi[k] = basis_.degrees()[k] == 0 ? 0 : -psi[k] / static_cast<Real>(basis_.eigenvalues()[k]);
    Values result(zeta_.size());
    basis_.transform().synthesis(psi, result);
    return {result.begin(), result.end()};
  }

  Basis<Real>& basis_;
  Values zeta_, u_, v_, p_, q_;  ///< (point) the state, and P and Q of vorticity_flux
  Spectrum unused_;              ///< divergence, which a transform returns besides the vorticity
};

std::vector<fields::Variable> variables() {
  std::vector<fields::Variable> table;
  add_restart_variables(table, "vorticity", "s-1", "relative vorticity");
  add_surface_variable(table, "eastward_wind", "m s-1", "eastward_wind", "eastward wind");
  add_surface_variable(table, "northward_wind", "m s-1", "northward_wind", "northward wind");
  add_surface_variable(table, "vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity");
  add_surface_variable(table, "absolute_vorticity", "s-1", "atmosphere_absolute_vorticity",
                       "vorticity of the wind and the planet");
  add_surface_variable(table, "stream_function", "m2 s-1", "atmosphere_horizontal_streamfunction",
                       "stream function of the wind");
  add_surface_variable(table, "kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass");
  table.push_back(topography_variable("point"));
  return table;
}

}  // namespace

EquationSet barotropic() {
  return {{.name = "barotropic",
           .text = "Nondivergent barotropic vorticity equation.",
           .references = "Charney, Fjortoft and von Neumann (1950)",
           .only_with = {"rossby_haurwitz", "barotropic_jet", "solid_rotation", "modons"}},
          make_set<Barotropic, double>,
          make_set<Barotropic, float>,
          /*can_be_lagrangian=*/false,
          variables(),
          {integral_variable("energy", "m4 s-2", "kinetic energy over density and depth"),
           integral_variable("enstrophy", "m2 s-2", "half the absolute vorticity squared"),
           integral_variable("angular_momentum", "m4 s-1",
                             "angular momentum around the axis over density and depth")}};
}

}  // namespace halcyon::spectral
