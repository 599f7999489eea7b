#include "halcyon/transform/legendre/polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/transform/registers/registers.hpp"
#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

constexpr int kTogether = 2;  // pairs of stripes whose steps wait for one another less

/// x^m = mantissa 2^exponent.
struct Power {
  long double mantissa = 1;
  long exponent = 0;

  void times(Power other) {
    int e = 0;
    mantissa = std::frexp(mantissa * other.mantissa, &e);
    exponent += other.exponent + e;
  }
};

Power power(long double x, int m) {
  Power found, factor;
  factor.times({x, 0});
  for (; m > 0; m >>= 1) {
    if (m & 1) found.times(factor);
    factor.times(factor);
  }
  return found;
}

/// One stripe on its way through n.
struct Chain {
  Lanes mu, last, now, scale;

  Lanes result() const { return _mm256_and_pd(now, _mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_EQ_OQ)); }
  bool is_scaled() const {
    return _mm256_movemask_pd(_mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_LT_OQ)) != 0;
  }
  void step(Step s) {
    const Lanes next = multiply_subtract(lanes_of(s.a) * mu, now, lanes_of(s.b) * last);
    last = now;
    now = next;
  }
  /// What has grown goes one scale up.
  void rescale() {
    const Lanes grown = _mm256_and_pd(_mm256_cmp_pd(magnitude(now), lanes_of(kLarge), _CMP_GE_OQ),
                                      _mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_LT_OQ));
    now = _mm256_blendv_pd(now, now * lanes_of(kShrink), grown);
    last = _mm256_blendv_pd(last, last * lanes_of(kShrink), grown);
    scale = scale + _mm256_and_pd(grown, lanes_of(1.0));
  }
};

/// The chains of the stripes of P neighbouring pairs, side by side.
template <int P>
void side_by_side(std::span<const Step> steps, const Places& places, double* values) {
  constexpr int kStripes = 2 * P;
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  Chain chains[kStripes];
  bool scaled = false;
  for (int s = 0; s < kStripes; ++s) {
    chains[s] = {load(places.mu + s * kLanes), lanes_of(0.0), load(places.value + s * kLanes),
                 load(places.scale + s * kLanes)};
    scaled = scaled || chains[s].is_scaled();
  }
  const std::size_t pitch = static_cast<std::size_t>(n) * kPair;
  double *now = values, *next = values + n_even * kPair;  // of even and odd n - m, by turns
  const auto put = [&](int s, Lanes x) { store(now + s / 2 * pitch + s % 2 * kLanes, x); };
  const auto turn = [&] {
    now += kPair;
    std::swap(now, next);
  };
  int k = 0;
  for (; scaled && k + 1 < n; ++k, turn()) {
    scaled = false;
    for (int s = 0; s < kStripes; ++s) {
      put(s, chains[s].result());
      chains[s].step(steps[k]);
      chains[s].rescale();
      scaled = scaled || chains[s].is_scaled();
    }
  }
  for (; k + 1 < n; ++k, turn())
    for (int s = 0; s < kStripes; ++s) {
      put(s, chains[s].now);
      chains[s].step(steps[k]);
    }
  for (int s = 0; s < kStripes; ++s) put(s, chains[s].result());
}

}  // namespace

FirstFunctions::FirstFunctions(int last) : norms_(last + 1) {
  long double squared = 1;
  for (int m = 0; m <= last; ++m) {
    if (m > 0) squared *= (2 * m + 1.0L) / (2 * m);
    norms_[m] = std::sqrt(squared);
  }
}

Scaled FirstFunctions::at(int m, long double colatitude) const {
  auto found = power(std::sin(colatitude), m);
  found.times({norms_[m], 0});
  const long scale = found.exponent > -256 ? 0 : (found.exponent - 256) / 512;
  return {static_cast<double>(std::ldexp(found.mantissa, static_cast<int>(found.exponent - 512 * scale))),
          static_cast<double>(scale)};
}

std::vector<Step> steps(int m, int last) {
  std::vector<Step> found;
  long double before = 0;
  for (int n = m; n < last; ++n) {
    const auto after = epsilon<long double>(n + 1, m);
    found.push_back({static_cast<double>(1 / after), static_cast<double>(before / after)});
    before = after;
  }
  return found;
}

void functions(std::span<const Step> steps, const Places& places, int n_pairs, double* values) {
  const std::size_t size = (steps.size() + 1) * kPair;
  for (int at = 0; at < n_pairs;) {
    const Places rest{places.mu + at * kPair, places.value + at * kPair, places.scale + at * kPair};
    if (n_pairs - at >= kTogether) {
      side_by_side<kTogether>(steps, rest, values + at * size);
      at += kTogether;
    } else {
      side_by_side<1>(steps, rest, values + at * size);
      ++at;
    }
  }
}

double largest(std::span<const Step> steps, double mu, Scaled first) {
  double last = 0, now = first.value, scale = first.scale, found = 0;
  for (std::size_t k = 0;; ++k) {
    if (scale == 0) found = std::max(found, std::abs(now));
    if (k == steps.size()) return found;
    const double next = std::fma(steps[k].a * mu, now, -(steps[k].b * last));
    last = now;
    now = next;
    if (scale < 0 && std::abs(now) >= kLarge) now *= kShrink, last *= kShrink, ++scale;
  }
}

}  // namespace halcyon::transform
