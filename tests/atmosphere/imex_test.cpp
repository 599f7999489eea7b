#include <complex>
#include <numeric>

#include "halcyon/atmosphere/shallow_water/semi_implicit.hpp"
#include "test.hpp"

using halcyon::atmosphere::Imex;

namespace {

using Number = std::complex<double>;
constexpr Number kI{0, 1};

/// Returns y after a step from y = 1 of y' = e(y) + i(y), where dt e(y) = slow y is the explicit part and
/// dt i(y) = fast y the implicit part.
Number amplification(Number slow, Number fast) {
  std::array<Number, Imex::kStages + 1> y{1};
  for (int s = 0; s < Imex::kStages; ++s) {
    Number sum = 1;
    for (int j = 0; j <= s; ++j) sum += (Imex::kExplicit[s][j] * slow + Imex::kImplicit[s][j] * fast) * y[j];
    y[s + 1] = sum / (1.0 - Imex::kGamma * fast);
  }
  return y.back();
}

/// Returns the largest amplification |y| of oscillations with slow frequencies times dt up to slow_limit and
/// fast frequencies times dt of at least fast_limit.
double growth(double slow_limit, double fast_limit) {
  double largest = 0;
  for (int j = 0; j <= 60; ++j)
    for (double fast = fast_limit; fast < 1e4; fast += 0.02 + 0.02 * fast)
      for (const double sign : {1.0, -1.0})
        largest = std::max(largest, std::abs(amplification(kI * (sign * slow_limit * j / 60), kI * fast)));
  return largest;
}

}  // namespace

// The rows of the explicit and of the implicit coefficients have the same sums.
TEST_CASE("imex: both parts stand at the times of its stages") {
  for (int s = 0; s < Imex::kStages; ++s) {
    const auto& e = Imex::kExplicit[s];
    const auto& i = Imex::kImplicit[s];
    const auto time = std::accumulate(e.begin(), e.end(), 0.0);
    CHECK(std::accumulate(i.begin(), i.end(), Imex::kGamma) == doctest::Approx(time).epsilon(1e-14));
  }
}

TEST_CASE("imex: of second order, whatever share is implicit") {
  for (const double share : {0.0, 0.3, 0.7, 1.0}) {
    const auto error = [&](double dt) {
      return std::abs(amplification(kI * ((1 - share) * dt), kI * (share * dt)) - std::exp(kI * dt));
    };
    CHECK(std::log2(error(0.02) / error(0.01)) > 2.9);  // local error: one order more
  }
}

TEST_CASE("imex: no wave grows, whatever its speed, where the wind's frequency is up to 3/2") {
  CHECK(growth(1.5, 0) < 1 + 1e-4);
  CHECK(growth(2.2, 0) > 1.1);
}

TEST_CASE("imex: fast waves fade") {
  CHECK(std::abs(amplification(0, 0.5 * kI)) > 0.99);
  CHECK(std::abs(amplification(0, 10.0 * kI)) < 0.6);
}
