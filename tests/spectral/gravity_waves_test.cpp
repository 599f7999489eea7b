#include <cmath>

#include "halcyon/spectral/columns.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::spectral;

namespace {

constexpr int kLevels = 4, kTruncation = 5;

/// Returns distinct values for all fields, levels and coefficients.
Spectrum<double> distinct_values(std::size_t size, double scale) {
  Spectrum<double> result;
  for (std::size_t i = 0; i < size; ++i)
    result.emplace_back(scale * std::sin(1.0 + static_cast<double>(i)),
                        scale * std::cos(3.0 * static_cast<double>(i)));
  return result;
}

}  // namespace

// x - dt L x is computed from a solution x, L being the linear gravity-wave terms, and solve() returns x.
TEST_CASE("spectral: a semi-implicit solution solves its equations, at any step") {
  const Basis<double> basis(nullptr, {}, transform::Grid::full(8, 16), kTruncation, Planet{}, 0);
  GravityWaves waves({2000, 20000, 40000, 20000, 0}, {0, 0, 0.2, 0.7, 1}, 287.0, 287.0 / 1004.5);
  const std::size_t n = basis.n_coefficients(), levels = kLevels * n;
  const auto fields = [&](Spectrum<double>& x) {
    return GravityWaves::Fields<double>{x.data(), x.data() + levels, x.data() + 2 * levels};
  };
  for (const double dt : {600.0, 1200.0, 600.0, 300.0}) {
    auto solution = distinct_values(2 * levels + n, 1e-5);
    for (std::size_t i = levels; i < solution.size(); ++i) solution[i] *= i < 2 * levels ? 1e5 : 1e2;
    Spectrum<double> right(solution.size());
    waves.add(basis, fields(solution), fields(right));
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = solution[i] - dt * right[i];
    waves.solve(basis, dt, fields(right));
    for (std::size_t i = 0; i < right.size(); ++i)
      CHECK(std::abs(right[i] - solution[i]) <= 1e-10 * (i < levels ? 1e-5 : i < 2 * levels ? 1 : 1e-3));
  }
}

// In air of the reference temperature T, ln ps accelerates every level by the Laplacian of R T ln ps.
TEST_CASE("spectral: warm columns of one temperature push as their pressure at the ground does") {
  const Basis<double> basis(nullptr, {}, transform::Grid::full(8, 16), kTruncation, Planet{}, 0);
  const GravityWaves waves({2000, 20000, 40000, 20000, 0}, {0, 0, 0.2, 0.7, 1}, 287.0, 287.0 / 1004.5);
  const std::size_t n = basis.n_coefficients(), levels = kLevels * n;
  Spectrum<double> x(2 * levels + n), y(x.size());
  x[2 * levels + 1] = 0.01;  // ln ps of n = 1
  const auto fields = [&](Spectrum<double>& values) {
    return GravityWaves::Fields<double>{values.data(), values.data() + levels, values.data() + 2 * levels};
  };
  waves.add(basis, fields(x), fields(y));
  for (int k = 0; k < kLevels; ++k)
    CHECK(y[k * n + 1].real() ==
          doctest::Approx(basis.eigenvalues()[1] * 287.0 * GravityWaves::kTemperature * 0.01));
}
