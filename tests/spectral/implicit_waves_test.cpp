#include "halcyon/spectral/implicit_waves.hpp"

#include <cmath>

#include "halcyon/spectral/columns.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::spectral;

namespace {

constexpr int kWaveTruncation = 9;
const std::vector<double> kA{2000, 20000, 40000, 20000, 0}, kB{0, 0, 0.2, 0.7, 1};

}  // namespace

// x - alpha L x is computed from a solution x, with the Coriolis force on the grid, and solve() returns x.
TEST_CASE("spectral: implicit gravity waves and Coriolis force solve their equations, at any step") {
  Basis basis(nullptr, {}, transform::Grid::full(16, 32), kWaveTruncation, Planet{}, 0);
  const GravityWaves gravity(kA, kB, 287.0, 287.0 / 1004.5, GravityWaves::kLagrangianTemperature);
  const auto coupling = gravity.coupling();
  ImplicitWaves waves(basis, coupling, gravity.thicknesses());
  SolverCosts costs;
  const std::size_t n = basis.n_coefficients(), n_levels = kA.size() - 1, n_points = basis.n_points();
  for (const double alpha : {450.0, 3600.0}) {
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
    waves.solve(alpha, basis.planet().rotation, right_zeta.data(), right_delta.data(), costs);
    double worst = 0;
    for (std::size_t i = 0; i < zeta.size(); ++i)
      worst = std::max({worst, std::abs(right_zeta[i] - zeta[i]), std::abs(right_delta[i] - delta[i])});
    CHECK(worst < 1e-17);
  }
}

// The fastest mode is the Lamb wave of isothermal air, c^2 = R T / (1 - kappa).
TEST_CASE("spectral: the modes of the levels have real speeds, the fastest that of the Lamb wave") {
  const Basis basis(nullptr, {}, transform::Grid::full(8, 16), 5, Planet{}, 0);
  std::vector<double> a, b;
  for (int k = 0; k <= 40; ++k) a.push_back(k == 0 ? 10 : 0), b.push_back(k == 0 ? 0 : k / 40.0);
  const double kappa = 2.0 / 7;
  const GravityWaves gravity(a, b, 287.0, kappa, 300);
  const ImplicitWaves waves(basis, gravity.coupling(), gravity.thicknesses());
  const auto [slowest, fastest] = std::ranges::minmax(waves.squared_speeds());
  CHECK(slowest > 0);
  CHECK(fastest == doctest::Approx(287.0 * 300 / (1 - kappa)).epsilon(0.02));
}
