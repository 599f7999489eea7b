#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <numbers>
#include <xsimd/xsimd.hpp>

#include "halcyon/base/lane_functions.hpp"

namespace halcyon {

/// Bit layout of a floating-point type, and the number of terms that series need for its precision.
template <class Real>
struct FloatFormat;
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52, kBias = 1023, kLogTerms = 10, kExpTerms = 13, kBinomialTerms = 7;
  static constexpr Bits kRootHalf = 0x3FE6A09E667F3BCD;  // bits of sqrt(1/2)
  static constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b39p-40;
};
template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23, kBias = 127, kLogTerms = 5, kExpTerms = 7, kBinomialTerms = 3;
  static constexpr Bits kRootHalf = 0x3F3504F3;
  static constexpr float kLn2High = 0x1.62e4p-1F, kLn2Low = 0x1.7f7d1cp-20F;
};

template <class Real>
Lanes<Real> natural_log(Lanes<Real> x) {
  return xsimd::log(xsimd::batch<Real, xsimd::fma3<xsimd::avx2>>(x)).data;
}

template <class Real>
Lanes<Real> exponential(Lanes<Real> x) {
  return xsimd::exp(xsimd::batch<Real, xsimd::fma3<xsimd::avx2>>(x)).data;
}

/// c_0 + c_1 x + c_2 x^2 + ... Even and odd powers are summed in alternation, as two independent chains.
template <class Real, std::size_t kTerms>
Lanes<Real> polynomial(const std::array<Real, kTerms>& c, Lanes<Real> x) {
  const auto square = x * x;
  auto previous = broadcast(c[kTerms - 1]), latest = broadcast(c[kTerms - 2]);
  for (int k = kTerms - 3; k >= 0; --k) {
    const auto next = multiply_add(previous, square, broadcast(c[k]));
    previous = latest;
    latest = next;
  }
  return multiply_add(previous, x, latest);
}

/// x^y = exp(y ln x), accurate to a few units in the last place if y ln x is of the order of 1. x and the
/// result must be positive normal numbers; otherwise the result is unspecified. With x = 2^e m,
/// sqrt(1/2) <= m < sqrt(2), and s = (m - 1)/(m + 1),
///   ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...),  exp(t) = 2^n exp(r),  r = t - n ln 2,  with the series of
/// exp(r) (Abramowitz and Stegun 1964, equations 4.1.27 and 4.2.1).
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> power(Lanes<Real> x, Real y) {
  using Format = FloatFormat<Real>;
  using Bits = typename Format::Bits;
  typedef Bits BitLanes __attribute__((vector_size(sizeof(Lanes<Real>))));
  constexpr auto kLog = [] {
    std::array<Real, Format::kLogTerms> c{};
    for (int k = 0; k < Format::kLogTerms; ++k) c[k] = Real(2) / Real(2 * k + 3);
    return c;
  }();
  constexpr auto kExp = [] {
    std::array<Real, Format::kExpTerms + 1> c{1};
    for (int k = 1; k <= Format::kExpTerms; ++k) c[k] = c[k - 1] / Real(k);
    return c;
  }();
  constexpr Bits kOne = Bits{1} << Format::kFraction;
  constexpr auto kInteger = static_cast<Real>(kOne);  // 2^kFraction: all larger floats are integers
  constexpr Bits kIntegerBits = Bits{Format::kBias + Format::kFraction} << Format::kFraction;

  const auto bits = (BitLanes)x;
  const auto exponent = (bits - Format::kRootHalf + Format::kBias * kOne) >> Format::kFraction;  // e + bias
  const auto m = (Lanes<Real>)(bits - (exponent << Format::kFraction) + Format::kBias * kOne);
  const auto e = (Lanes<Real>)(exponent | kIntegerBits) - (kInteger + Format::kBias);
  const auto s = (m - Real(1)) / (m + Real(1)), square = s * s;
  const auto ln_m = multiply_add(s * square, polynomial<Real>(kLog, square), Real(2) * s);
  const auto t = y * multiply_add(e, broadcast(std::numbers::ln2_v<Real>), ln_m);

  constexpr Real kRound = Real(1.5) * kInteger;
  const auto rounded = multiply_add(t, broadcast(Real(1) / std::numbers::ln2_v<Real>), broadcast(kRound));
  const auto n = rounded - kRound;
  const auto r =
      multiply_add(n, broadcast(-Format::kLn2Low), multiply_add(n, broadcast(-Format::kLn2High), t));
  const auto exp_r = (BitLanes)polynomial<Real>(kExp, r);
  return (Lanes<Real>)(exp_r + ((BitLanes)rounded << Format::kFraction));
}

/// (1 + x)^y - 1 without cancellation: the binomial series where x is small, `power` elsewhere. NaN where 1 +
/// x <= 0. The result of a lane does not depend on the other lanes.
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> power_minus_one(Lanes<Real> x, Real y) {
  constexpr Real kSmall = Real{1} / 128;
  auto sum = broadcast(Real(1));
  for (int k = FloatFormat<Real>::kBinomialTerms - 1; k > 0; --k)
    sum = multiply_add((y - Real(k)) / Real(k + 1) * x, sum, broadcast(Real(1)));
  const auto series = y * x * sum;
  const auto is_large = x * x > kSmall * kSmall;
  if (!any(is_large)) [[likely]]
    return series;
  const auto direct = power<Real>(Real(1) + x, y) - Real(1);
  const auto valid = Real(1) + x > Real(0) ? direct : broadcast(std::numeric_limits<Real>::quiet_NaN());
  return is_large ? valid : series;
}

}  // namespace halcyon
