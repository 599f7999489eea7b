#include "halcyon/transform/legendre/polynomials.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

/// Recurrences multiply a value that has reached kLarge by kShrink, and add 1 to the scale.
constexpr double kLarge = 0x1p+256, kShrink = 0x1p-512;

/// mantissa 2^exponent, where the exponent may exceed the range of long doubles.
struct LongNumber {
  long double mantissa = 1;
  long exponent = 0;

  void multiply_by(LongNumber other) {
    int e = 0;
    mantissa = std::frexp(mantissa * other.mantissa, &e);
    exponent += other.exponent + e;
  }
};

/// x^m.
LongNumber power(long double x, int m) {
  LongNumber result, factor;
  factor.multiply_by({x, 0});
  for (; m > 0; m >>= 1) {
    if (m & 1) result.multiply_by(factor);
    factor.multiply_by(factor);
  }
  return result;
}

}  // namespace

SectoralFunctions::SectoralFunctions(int largest_m) : norms_(largest_m + 1) {
  long double squared = 1;
  for (int m = 0; m <= largest_m; ++m) {
    if (m > 0) squared *= (2 * m + 1.0L) / (2 * m);
    norms_[m] = std::sqrt(squared);
  }
}

ScaledNumber SectoralFunctions::p_mm(int m, long double colatitude) const {
  auto product = power(std::sin(colatitude), m);
  product.multiply_by({norms_[m], 0});
  const long scale = product.exponent > -256 ? 0 : (product.exponent - 256) / 512;  // so that value < 2^256
  return {static_cast<double>(std::ldexp(product.mantissa, static_cast<int>(product.exponent - 512 * scale))),
          static_cast<double>(scale)};
}

// From mu P_n = epsilon_{n+1} P_{n+1} + epsilon_n P_{n-1} (Belousov 1962; n for n, m) follow, with n = m + 2j
// + 1 and r_j = P_n / mu = odd_j q_j,
//   P_{n-1} = epsilon_n r_j + epsilon_{n-1} r_{j-1},
//   epsilon_{n+1} epsilon_{n+2} r_{j+1}
//     = (mu^2 - epsilon_n^2 - epsilon_{n+1}^2) r_j - epsilon_n epsilon_{n-1} r_{j-1}.
// The factors odd_j are chosen such that the coefficients of q_0 in P_mm and of q_{j-1} in q_{j+1} are 1.
BaseFunctions::BaseFunctions(int m, int largest_n)
    : n(count(largest_n + 1 - m)), weights(static_cast<std::size_t>(n + n % 2)) {
  const auto epsilon_at = [m](int degree) { return epsilon<long double>(degree, m); };
  long double odd = 1 / epsilon_at(m + 1), odd_before = 0;
  for (int j = 0; j < n; ++j) {
    const int degree = m + 2 * j + 1;
    const long double e_before = epsilon_at(degree - 1), e = epsilon_at(degree),
                      e_next = epsilon_at(degree + 1), product = e_next * epsilon_at(degree + 2);
    const long double odd_next = j == 0 ? odd : -odd_before * e * e_before / product;
    const long double a = odd / (product * odd_next);
    for (int origin = 0; origin < kOrigins; ++origin)
      steps[origin].push_back(
          {static_cast<double>(a), static_cast<double>(a * (origin - e * e - e_next * e_next))});
    weights[j] = {static_cast<double>(odd * e), static_cast<double>(odd), static_cast<double>(odd * e_next),
                  static_cast<double>(odd_before * e_before)};
    odd_before = odd, odd = odd_next;
  }
}

void BaseValues::step(BaseStep step, double x) {
  const double next = std::fma(std::fma(step.a, x, step.b), current, previous);
  previous = current, current = next;
  if (scale < 0 && std::abs(current) >= kLarge) current *= kShrink, previous *= kShrink, ++scale;
}

double max_abs_function(const BaseFunctions& base, int n_degrees, double mu, ScaledNumber sectoral) {
  BaseValues q{0, sectoral.value, sectoral.scale};
  double largest = 0;
  for (int j = 0; j < BaseFunctions::count(n_degrees); ++j) {
    const auto& weights = base.weights[j];
    if (q.scale == 0) {
      largest = std::max(largest, std::abs(weights.even * q.current + weights.previous * q.previous));
      if (2 * j + 1 < n_degrees) largest = std::max(largest, std::abs(weights.odd * mu * q.current));
    }
    q.step(base.steps[0][j], mu * mu);
  }
  return largest;
}

}  // namespace halcyon::transform
