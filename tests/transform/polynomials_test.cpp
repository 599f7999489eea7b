#include "halcyon/transform/legendre/polynomials.hpp"

#include <cmath>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/sphere/grid.hpp"
#include "halcyon/transform/sphere/sets.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

/// Normalized Legendre functions P_nm for n = m .. truncation at one latitude.
std::vector<double> functions_at(int m, int truncation, long double colatitude) {
  const auto [value, scale] = SectoralFunctions(truncation).p_mm(m, colatitude);
  const std::vector<double> mu(kStripePair, static_cast<double>(std::cos(colatitude))),
      values(kStripePair, value), scales(kStripePair, scale);
  const int n_degrees = truncation + 1 - m, n_even = (n_degrees + 1) / 2;
  std::vector<double> even_then_odd(n_degrees * kStripePair), ordered(n_degrees);
  legendre_functions(recurrence_steps(m, truncation), {mu.data(), values.data(), scales.data()}, 1,
                     even_then_odd.data());
  for (int k = 0; k < n_degrees; ++k) ordered[k] = even_then_odd[(k / 2 + k % 2 * n_even) * kStripePair];
  return ordered;
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

namespace {

/// Compares recurrences that are interleaved for `n_pairs` pairs of stripes with those of one pair alone; at
/// some stripes P_mm underflows.
void check_interleaved(decltype(legendre_functions)& compute, int n_pairs, int truncation) {
  constexpr int kOrder = 290;  // m
  const SectoralFunctions sectoral(truncation);
  std::vector<double> mu, values, scales;
  for (int index = 0; index < n_pairs * kStripePair; ++index) {
    const long double theta = 0.02L + 1.5L * index / (n_pairs * kStripePair);
    mu.push_back(static_cast<double>(std::cos(theta)));
    values.push_back(sectoral.p_mm(kOrder, theta).value);
    scales.push_back(sectoral.p_mm(kOrder, theta).scale);
  }
  const auto steps = recurrence_steps(kOrder, truncation);
  const std::size_t size = (steps.size() + 1) * kStripePair;
  std::vector<double> together(n_pairs * size), alone(size);
  compute(steps, {mu.data(), values.data(), scales.data()}, n_pairs, together.data());
  for (int pair = 0; pair < n_pairs; ++pair) {
    const int index = pair * kStripePair;
    legendre_functions(steps, {&mu[index], &values[index], &scales[index]}, 1, alone.data());
    CHECK(std::equal(alone.begin(), alone.end(), together.begin() + pair * size));
  }
}

void check_interleaved(decltype(legendre_functions)& compute) {
  for (const int truncation : {290, 291, 292, 700})
    for (int n_pairs = 1; n_pairs <= 9; ++n_pairs) check_interleaved(compute, n_pairs, truncation);
}

}  // namespace

TEST_CASE("transform polynomials: pairs of stripes side by side have the bits of one alone" *
          test::in_process()) {
  check_interleaved(legendre_functions);
}

TEST_CASE("transform polynomials: those by wide registers do, too" * test::in_process() *
          doctest::skip(!has_wide_registers())) {
  check_interleaved(legendre_functions_wide);
}
