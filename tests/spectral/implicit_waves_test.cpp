#include "halcyon/spectral/implicit_waves.hpp"

#include <cmath>

#include "halcyon/spectral/columns.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::spectral;

namespace {

constexpr int kWaveTruncation = 9;
const std::vector<double> kA{2000, 20000, 40000, 20000, 0}, kB{0, 0, 0.2, 0.7, 1};

const GravityWaves& gravity() {
  static const GravityWaves waves(kA, kB, 287.0, 287.0 / 1004.5, GravityWaves::kLagrangianTemperature);
  return waves;
}

/// Computes x - alpha L x of a state x, with the Coriolis force on the grid, solves for x, and returns the
/// largest error of vorticity and divergence [s-1].
double solution_error(Basis<double>& basis, ImplicitWaves<double>& waves, double alpha, SolverCosts& costs) {
  const auto coupling = gravity().coupling();
  const std::size_t n = basis.n_coefficients(), n_levels = kA.size() - 1, n_points = basis.n_points();
  std::vector<Complex> zeta(n_levels * n), delta(n_levels * n);
  for (std::size_t k = 0; k < n_levels; ++k)
    for (std::size_t c = 0; c < n; ++c) {
      const double i = 1.0 + static_cast<double>(k * n + c);
      const bool is_zonal = c <= kWaveTruncation;  // m = 0: real; n = 0: no mean
      if (c > 0) zeta[k * n + c] = {1e-5 * std::sin(i), is_zonal ? 0 : 1e-5 * std::cos(3 * i)};
      if (c > 0) delta[k * n + c] = {1e-6 * std::cos(2 * i), is_zonal ? 0 : 1e-6 * std::sin(5 * i)};
    }
  // The tendency of the Coriolis force: curl and divergence of (f v, -f u).
  std::vector<double> u(n_levels * n_points), v(u);
  basis.transform().winds(zeta, delta, u, v);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double f = basis.coriolis()[i % n_points], east = u[i];
    u[i] = f * v[i], v[i] = -f * east;
  }
  std::vector<Complex> zeta_tendency(zeta.size()), delta_tendency(zeta.size());
  basis.transform().vorticity_divergence(u, v, zeta_tendency, delta_tendency);
  auto right_zeta = zeta, right_delta = delta;
  for (std::size_t k = 0; k < n_levels; ++k)
    for (std::size_t c = 0; c < n; ++c) {
      Complex waves_of_delta = 0;
      for (std::size_t j = 0; j < n_levels; ++j)
        waves_of_delta += coupling[k * n_levels + j] * delta[j * n + c];
      right_zeta[k * n + c] -= alpha * zeta_tendency[k * n + c];
      right_delta[k * n + c] -=
          alpha * delta_tendency[k * n + c] - alpha * alpha * basis.eigenvalues()[c] * waves_of_delta;
    }
  waves.solve(alpha, right_zeta.data(), right_delta.data(), costs);
  double worst = 0;
  for (std::size_t i = 0; i < zeta.size(); ++i)
    worst = std::max({worst, std::abs(right_zeta[i] - zeta[i]), std::abs(right_delta[i] - delta[i])});
  return worst;
}

}  // namespace

TEST_CASE("spectral: implicit gravity waves and Coriolis force solve their equations, at any step") {
  Basis<double> basis(nullptr, {}, transform::Grid::full(16, 32), kWaveTruncation, Planet{}, 0);
  const auto waves = make_direct_waves(basis, VerticalModes(gravity().coupling(), gravity().thicknesses()));
  SolverCosts costs;
  for (const double alpha : {450.0, 3600.0}) CHECK(solution_error(basis, *waves, alpha, costs) < 1e-17);
}

TEST_CASE("spectral: GCR on the grid solves the same equations to its tolerance, for any axis of rotation") {
  const comm::Communicator one_rank(MPI_COMM_SELF);
  Basis<double> basis(&one_rank, {}, transform::Grid::full(16, 32), kWaveTruncation, Planet{}, 0);
  for (const double tolerance : {1e-6, 1e-12}) {
    const auto waves =
        make_gcr_waves(basis, tolerance, VerticalModes(gravity().coupling(), gravity().thicknesses()));
    for (const Vector3 axis : {Vector3{0, 0, 1}, Vector3{0.48, 0.64, 0.6}}) {
      basis.set_rotation_axis(axis);
      for (const double alpha : {450.0, 3600.0}) {
        SolverCosts costs;
        const double error = solution_error(basis, *waves, alpha, costs);
        CHECK(costs.has_converged);
        CHECK(error < 3e-5 * tolerance);  // largest vorticity: 1e-5 s-1
      }
    }
  }
}

TEST_CASE("spectral: GCR on the grid says that it has not converged") {
  const comm::Communicator one_rank(MPI_COMM_SELF);
  Basis<double> basis(&one_rank, {}, transform::Grid::full(16, 32), kWaveTruncation, Planet{}, 0);
  const auto waves = make_gcr_waves(basis, 1e-12, VerticalModes(1e5));
  std::vector<Complex> zeta(basis.n_coefficients(), 1e-5), delta(zeta.size());
  SolverCosts costs;
  waves->solve(/*alpha=*/1e7, zeta.data(), delta.data(), costs);  // no step is as long
  CHECK_FALSE(costs.has_converged);
  CHECK(costs.residual > 1e-12);
}

// The fastest mode is the Lamb wave of isothermal air, c^2 = R T / (1 - kappa).
TEST_CASE("spectral: the modes of the levels have real speeds, the fastest that of the Lamb wave") {
  std::vector<double> a, b;
  for (int k = 0; k <= 40; ++k) a.push_back(k == 0 ? 10 : 0), b.push_back(k == 0 ? 0 : k / 40.0);
  const double kappa = 2.0 / 7;
  const GravityWaves isothermal(a, b, 287.0, kappa, 300);
  const VerticalModes modes(isothermal.coupling(), isothermal.thicknesses());
  const auto [slowest, fastest] = std::ranges::minmax(modes.squared_speeds);
  CHECK(slowest > 0);
  CHECK(fastest == doctest::Approx(287.0 * 300 / (1 - kappa)).epsilon(0.02));
}
