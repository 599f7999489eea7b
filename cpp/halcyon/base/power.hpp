#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <numbers>
#include <xsimd/xsimd.hpp>

#include "halcyon/base/lanes.hpp"

namespace halcyon {

/// What a number is made of, in bits, and how many terms its series take.
template <class Real>
struct NumberParts;
template <>
struct NumberParts<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52, kBias = 1023, kLogTerms = 10, kExpTerms = 13, kNearTerms = 7;
  static constexpr Bits kRootHalf = 0x3FE6A09E667F3BCD;  // of sqrt(1/2)
  static constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b39p-40;
};
template <>
struct NumberParts<float> {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23, kBias = 127, kLogTerms = 5, kExpTerms = 7, kNearTerms = 3;
  static constexpr Bits kRootHalf = 0x3F3504F3;
  static constexpr float kLn2High = 0x1.62e4p-1F, kLn2Low = 0x1.7f7d1cp-20F;
};

template <class Real>
Lanes<Real> natural_log(Lanes<Real> x) {
  return xsimd::log(xsimd::batch<Real, xsimd::fma3<xsimd::avx2>>(x)).data;
}

/// c_0 + c_1 x + c_2 x^2 + ..., even and odd powers apart, so that neither waits for the other.
template <class Real, std::size_t kTerms>
Lanes<Real> polynomial(const std::array<Real, kTerms>& c, Lanes<Real> x) {
  const auto square = x * x;
  auto last = lanes_of(c[kTerms - 1]), other = lanes_of(c[kTerms - 2]);
  for (int k = kTerms - 3; k >= 0; --k) {
    const auto next = multiply_add(last, square, lanes_of(c[k]));
    last = other;
    other = next;
  }
  return multiply_add(last, x, other);
}

/// x^y = exp(y ln x) of normal numbers x above zero where it is one itself, to some units in the last place
/// for y ln x of the order of 1; of others no number in particular. With x = 2^e m, m from sqrt(1/2) to
/// sqrt(2), and s = (m - 1)/(m + 1),
///   ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...),   exp(t) = 2^n exp(t - n ln 2)  by its series
/// (Abramowitz and Stegun 1964, equations 4.1.27 and 4.2.1)
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> power(Lanes<Real> x, Real y) {
  using Parts = NumberParts<Real>;
  using Bits = typename Parts::Bits;
  typedef Bits BitLanes __attribute__((vector_size(sizeof(Lanes<Real>))));
  constexpr auto kLog = [] {
    std::array<Real, Parts::kLogTerms> c{};
    for (int k = 0; k < Parts::kLogTerms; ++k) c[k] = Real(2) / Real(2 * k + 3);
    return c;
  }();
  constexpr auto kExp = [] {
    std::array<Real, Parts::kExpTerms + 1> c{1};
    for (int k = 1; k <= Parts::kExpTerms; ++k) c[k] = c[k - 1] / Real(k);
    return c;
  }();
  constexpr Bits kOne = Bits{1} << Parts::kFraction;
  constexpr Real kWhole =
      static_cast<Real>(kOne);  // numbers from here on are whole, their last bits the count
  constexpr Bits kWholeBits = Bits{Parts::kBias + Parts::kFraction} << Parts::kFraction;

  const auto bits = (BitLanes)x;
  const auto exponent = (bits - Parts::kRootHalf + Parts::kBias * kOne) >> Parts::kFraction;  // e + bias
  const auto m = (Lanes<Real>)(bits - (exponent << Parts::kFraction) + Parts::kBias * kOne);
  const auto e = (Lanes<Real>)(exponent | kWholeBits) - (kWhole + Parts::kBias);
  const auto s = (m - Real(1)) / (m + Real(1)), square = s * s;
  const auto rest = multiply_add(s * square, polynomial<Real>(kLog, square), Real(2) * s);
  const auto t = y * multiply_add(e, lanes_of(std::numbers::ln2_v<Real>), rest);

  constexpr Real kRound = Real(1.5) * kWhole;
  const auto rounded = multiply_add(t, lanes_of(Real(1) / std::numbers::ln2_v<Real>), lanes_of(kRound));
  const auto n = rounded - kRound;
  const auto r = multiply_add(n, lanes_of(-Parts::kLn2Low), multiply_add(n, lanes_of(-Parts::kLn2High), t));
  const auto near_one = (BitLanes)polynomial<Real>(kExp, r);
  return (Lanes<Real>)(near_one + ((BitLanes)rounded << Parts::kFraction));
}

/// (1 + x)^y - 1 with all its digits, by the binomial series where x is small; not a number where 1 + x is
/// not above zero. What a lane gives does not depend on the others.
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> power_less_one(Lanes<Real> x, Real y) {
  constexpr Real kSmall = Real{1} / 128;
  auto sum = lanes_of(Real(1));
  for (int k = NumberParts<Real>::kNearTerms - 1; k > 0; --k)
    sum = multiply_add((y - Real(k)) / Real(k + 1) * x, sum, lanes_of(Real(1)));
  const auto series = y * x * sum;
  const auto is_large = x * x > kSmall * kSmall;
  if (!any(is_large)) [[likely]]
    return series;
  const auto whole = power<Real>(Real(1) + x, y) - Real(1);
  const auto known = Real(1) + x > Real(0) ? whole : lanes_of(std::numeric_limits<Real>::quiet_NaN());
  return is_large ? known : series;
}

}  // namespace halcyon
