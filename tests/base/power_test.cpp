#include "halcyon/base/power.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "test.hpp"

using namespace halcyon;

namespace {

/// The largest relative error of x^y for x from e^-9 to e^9, in units of the last place.
template <class Real>
double largest_error_ulp(Real y) {
  double largest = 0;
  for (double exponent = -9; exponent <= 9; exponent += 0.001) {
    const Real x = static_cast<Real>(std::exp(exponent));
    const double exact = std::pow(double{x}, double{y});
    const auto found = power<Real>(broadcast(x), y);
    for (int lane = 0; lane < kLanes<Real>; ++lane)
      largest = std::max(largest, std::abs(found[lane] / exact - 1) / std::numeric_limits<Real>::epsilon());
  }
  return largest;
}

}  // namespace

TEST_CASE("base: powers of 1.2e-4 to 8100 are right to the last places") {
  CHECK(largest_error_ulp<double>(2.0 / 7) < 4);
  CHECK(largest_error_ulp<double>(0.4) < 4);
  CHECK(largest_error_ulp<float>(2.0F / 7) < 4);
  CHECK(largest_error_ulp<float>(0.4F) < 4);
}

TEST_CASE("base: a power of 1 is 1, of an exact root its root") {
  CHECK(power<double>(broadcast(1.0), 2.0 / 7)[0] == 1.0);
  CHECK(power<double>(broadcast(4.0), 0.5)[1] == doctest::Approx(2.0).epsilon(1e-15));
  CHECK(power<float>(broadcast(1.0F), 0.4F)[7] == 1.0F);
}

TEST_CASE("base: a power less one keeps its digits near one") {
  // (1 + x)^y - 1 for small x, against expm1 and log1p.
  for (const double y : {0.4, -5.0 / 7}) {
    for (const double x : {1e-12, -3e-5, 0.0077, -0.0079, 0.3, -0.6}) {
      const double exact = std::expm1(y * std::log1p(x));
      CHECK(power_minus_one<double>(broadcast(x), y)[2] == doctest::Approx(exact).epsilon(2e-15));
    }
    const float x = 0.0077F;
    CHECK(power_minus_one<float>(broadcast(x), static_cast<float>(y))[5] ==
          doctest::Approx(std::expm1(y * std::log1p(double{x}))).epsilon(3e-7));
  }
}

TEST_CASE("base: what a lane of a power less one gives does not depend on the others") {
  // The series of small x and the general formula may occur in lanes of one vector; invalid lanes are NaN.
  constexpr double kY = 0.4, kNan = std::numeric_limits<double>::quiet_NaN();
  const std::array values{1e-9, -0.0078, 0.0079, 0.5, -0.9};
  const auto alone = [&](double x) { return power_minus_one<double>(broadcast(x), kY)[0]; };
  for (const double x : values)
    for (const double other : values)
      CHECK(power_minus_one<double>(Lanes<double>{x, other, x, 0.3}, kY)[0] == alone(x));
  for (const double x : {-1.0, -3.5, kNan}) {
    CHECK(std::isnan(alone(x)));
    CHECK(std::isnan(power_minus_one<double>(Lanes<double>{x, 0.3, 1e-9, 0}, kY)[0]));
    CHECK(power_minus_one<double>(Lanes<double>{x, 0.3, 1e-9, 0}, kY)[2] == alone(1e-9));
  }
}
