#include "halcyon/transform/legendre/polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "halcyon/transform/sphere/grid.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

/// Normalized Legendre functions P_nm for n = m .. truncation at one latitude; 0 while they are scaled.
std::vector<double> functions_at(int m, int truncation, long double colatitude) {
  const auto [value, scale] = SectoralFunctions(truncation).p_mm(m, colatitude);
  const BaseFunctions base(m, truncation);
  const long double mu = std::cos(colatitude);
  const int origin = mu * mu < 0.5L ? 0 : 1;
  std::vector<double> functions;
  BaseValues q{0, value, scale};
  for (int k = 0; k <= truncation - m; ++k) {
    const auto& weights = base.weights[k / 2];
    const double p = k % 2 == 0 ? weights.even * q.current + weights.previous * q.previous
                                : weights.odd * static_cast<double>(mu) * q.current;
    functions.push_back(q.scale < 0 ? 0 : p);
    if (k % 2 == 1) q.step(base.steps[origin][k / 2], static_cast<double>(mu * mu - origin));
  }
  return functions;
}

}  // namespace

TEST_CASE("transform polynomials: closed forms" * test::in_process()) {
  for (const long double theta : {0.01L, 0.3L, 1.1L, 1.57L, 3.0L}) {
    const double mu = static_cast<double>(std::cos(theta)), c = static_cast<double>(std::sin(theta));
    CHECK(functions_at(0, 3, theta)[3] ==
          doctest::Approx(std::sqrt(7.0) / 2 * (5 * mu * mu * mu - 3 * mu)).epsilon(1e-14));
    CHECK(functions_at(1, 2, theta)[1] == doctest::Approx(std::sqrt(7.5) * mu * c).epsilon(1e-14));
    CHECK(functions_at(2, 2, theta)[0] == doctest::Approx(std::sqrt(1.875) * c * c).epsilon(1e-14));
  }
}

TEST_CASE("transform polynomials: sums over m of 4 pi Y^2 are 2 n + 1, at high degrees too" *
          test::in_process()) {
  for (const int n : {10, 600, 2000}) {
    for (const long double theta : {1e-3L, 0.02L, 0.7L, 1.5L}) {
      double sum = 0;  // left-hand side of the addition theorem
      for (int m = 0; m <= n; ++m) {
        const double p = functions_at(m, n, theta).back();
        sum += (m > 0 ? 2 : 1) * p * p;
      }
      // A rounding error of mu shifts the latitude by 6e-17 / sin(theta), and P_n oscillates n times as fast.
      CHECK(sum == doctest::Approx(2 * n + 1).epsilon(1e-13 + 1e-15 * n / static_cast<double>(theta)));
    }
  }
}

TEST_CASE("transform polynomials: those of a wavenumber are orthonormal" * test::in_process()) {
  constexpr int kTruncation = 700;
  const auto latitudes = gaussian_latitudes(kTruncation + 1);
  for (const int m : {0, 1, 350, 690}) {
    std::vector<double> sums(kTruncation + 1 - m);
    for (int j = 0; j <= kTruncation; ++j) {
      const auto p = functions_at(m, kTruncation, latitudes.colatitudes[j]);
      for (std::size_t k = 0; k < p.size(); ++k) sums[k] += latitudes.weights[j] / 2 * p[k] * p.back();
    }
    CHECK(sums.back() == doctest::Approx(1).epsilon(1e-13));
    for (std::size_t k = 0; k + 1 < sums.size(); ++k) CHECK(std::abs(sums[k]) < 1e-13);
  }
}

TEST_CASE("transform polynomials: what starts far below the smallest double grows to its size" *
          test::in_process()) {
  const long double theta = 0.1L;  // cos^m(latitude) is 1e-1000
  const auto functions = functions_at(1000, 12000, theta);
  CHECK(functions.front() == 0);
  double largest = 0;
  for (double p : functions) largest = std::max(largest, std::abs(p));
  CHECK(largest > 1);
  CHECK(largest < 10);
  CHECK(SectoralFunctions(1000).p_mm(1000, theta).scale < -5);
}

TEST_CASE("transform polynomials: the largest of a wavenumber" * test::in_process()) {
  for (const int m : {0, 7, 300})
    for (const int n_degrees : {1, 2, 31, 200}) {
      const long double theta = 0.4L;
      const auto functions = functions_at(m, m + 200, theta);
      double largest = 0;
      for (int k = 0; k < n_degrees; ++k) largest = std::max(largest, std::abs(functions[k]));
      CHECK(max_abs_function({m, m + 200}, n_degrees, static_cast<double>(std::cos(theta)),
                             SectoralFunctions(m).p_mm(m, theta)) == doctest::Approx(largest).epsilon(1e-11));
    }
}
