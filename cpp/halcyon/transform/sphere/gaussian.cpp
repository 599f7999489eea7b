#include "halcyon/transform/sphere/gaussian.hpp"

#include <cmath>
#include <numbers>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

constexpr long double kPiLong = std::numbers::pi_v<long double>;

struct Value {
  long double p, slope;
};

/// P_n(cos theta) and dP_n/dtheta. With y = 1 - cos(theta) the differences d_k = P_k - P_{k-1} follow
///   (k + 1) d_{k+1} = k d_k - (2 k + 1) y P_k,
/// which is the recurrence of P_k, and loses no digits near the pole.
///   dP_n/dtheta = n (cos(theta) P_n - P_{n-1}) / sin(theta)        (Abramowitz and Stegun 1964, 8.5.4)
Value legendre(int n, long double theta) {
  const long double s = std::sin(theta / 2), y = 2 * s * s;
  long double p = 1, d = 0;
  for (int k = 0; k < n; ++k) {
    d = (k * d - (2 * k + 1) * y * p) / (k + 1);
    p += d;
  }
  return {p, n * (d - y * p) / std::sin(theta)};
}

/// The j-th zero from the pole (Tricomi 1950): x = (1 - (n - 1) / (8 n^3)) cos((4 j - 1) pi / (4 n + 2)).
long double first_guess(int n, int j) {
  const long double m = n;
  return std::acos((1 - (m - 1) / (8 * m * m * m)) * std::cos((4 * j - 1) * kPiLong / (4 * m + 2)));
}

long double zero(int n, int j) {
  long double theta = first_guess(n, j);
  for (int iteration = 0; iteration < 10; ++iteration) {
    const auto [p, slope] = legendre(n, theta);
    const long double step = p / slope;
    theta -= step;
    if (std::abs(step) < 1e-12L * theta) break;  // the next step would be its square
  }
  return theta;
}

}  // namespace

GaussianLatitudes gaussian_latitudes(int n) {
  require<ConfigError>(n >= 1, "A Gaussian grid of {} latitudes was asked for. Give 1 or more.", n);
  GaussianLatitudes found;
  found.colatitudes.resize(n);
  found.sines.resize(n);
  found.cosines.resize(n);
  found.weights.resize(n);
  for (int j = 0; j < (n + 1) / 2; ++j) {
    const int south = n - 1 - j;
    const bool equator = j == south;
    const long double theta = equator ? kPiLong / 2 : zero(n, j + 1);
    const long double slope = legendre(n, theta).slope;
    const double sine = equator ? 0 : static_cast<double>(std::cos(theta));
    found.colatitudes[south] = kPiLong - theta;
    found.colatitudes[j] = theta;
    found.sines[south] = -sine;
    found.sines[j] = sine;
    found.cosines[j] = found.cosines[south] = static_cast<double>(std::sin(theta));
    found.weights[j] = found.weights[south] = static_cast<double>(2 / (slope * slope));
  }
  return found;
}

}  // namespace halcyon::transform
