#include "halcyon/transform/legendre/polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/transform/registers/registers.hpp"
#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {
namespace {

// Pairs of stripes per loop: independent recurrences hide the latency of the steps of each recurrence.
constexpr int kInterleaved = 2;

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

/// The recurrence over n at one stripe: P_{n-1,m} and P_nm, divided by 2^(512 scale).
struct Recurrence {
  Lanes mu, previous, current, scale;

  /// Returns P_nm where scale = 0, and 0 elsewhere.
  Lanes result() const {
    return _mm256_and_pd(current, _mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_EQ_OQ));
  }
  bool is_scaled() const {
    return _mm256_movemask_pd(_mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_LT_OQ)) != 0;
  }
  void step(RecurrenceStep s) {
    const Lanes next = multiply_subtract(broadcast(s.a) * mu, current, broadcast(s.b) * previous);
    previous = current, current = next;
  }
  /// Rescales values that have reached kLarge.
  void rescale() {
    const Lanes grown = _mm256_and_pd(_mm256_cmp_pd(magnitude(current), broadcast(kLarge), _CMP_GE_OQ),
                                      _mm256_cmp_pd(scale, _mm256_setzero_pd(), _CMP_LT_OQ));
    current = _mm256_blendv_pd(current, current * broadcast(kShrink), grown);
    previous = _mm256_blendv_pd(previous, previous * broadcast(kShrink), grown);
    scale = scale + _mm256_and_pd(grown, broadcast(1.0));
  }
};

/// Runs the recurrences of kPairs neighbouring pairs of stripes in one loop.
template <int kPairs>
void compute_interleaved(std::span<const RecurrenceStep> steps, const RecurrenceStart& start,
                         double* values) {
  constexpr int kStripes = 2 * kPairs;
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  Recurrence recurrences[kStripes];
  bool any_scaled = false;
  for (int s = 0; s < kStripes; ++s) {
    recurrences[s] = {load(start.mu + s * kLanes), broadcast(0.0), load(start.value + s * kLanes),
                      load(start.scale + s * kLanes)};
    any_scaled = any_scaled || recurrences[s].is_scaled();
  }
  const std::size_t pitch = static_cast<std::size_t>(n) * kStripePair;
  double *now = values, *next = values + n_even * kStripePair;  // alternate between even and odd n - m
  const auto store_function = [&](int s, Lanes x) { store(now + s / 2 * pitch + s % 2 * kLanes, x); };
  const auto advance = [&] {
    now += kStripePair;
    std::swap(now, next);
  };
  int k = 0;
  for (; any_scaled && k + 1 < n; ++k, advance()) {
    any_scaled = false;
    for (int s = 0; s < kStripes; ++s) {
      store_function(s, recurrences[s].result());
      recurrences[s].step(steps[k]);
      recurrences[s].rescale();
      any_scaled = any_scaled || recurrences[s].is_scaled();
    }
  }
  for (; k + 1 < n; ++k, advance())
    for (int s = 0; s < kStripes; ++s) {
      store_function(s, recurrences[s].current);
      recurrences[s].step(steps[k]);
    }
  for (int s = 0; s < kStripes; ++s) store_function(s, recurrences[s].result());
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

std::vector<RecurrenceStep> recurrence_steps(int m, int largest_n) {
  std::vector<RecurrenceStep> steps;
  long double epsilon_n = 0;
  for (int n = m; n < largest_n; ++n) {
    const auto epsilon_next = epsilon<long double>(n + 1, m);
    steps.push_back({static_cast<double>(1 / epsilon_next), static_cast<double>(epsilon_n / epsilon_next)});
    epsilon_n = epsilon_next;
  }
  return steps;
}

void legendre_functions(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                        double* values) {
  const std::size_t size = (steps.size() + 1) * kStripePair;
  for (int pair = 0; pair < n_pairs;) {
    const RecurrenceStart pair_start{start.mu + pair * kStripePair, start.value + pair * kStripePair,
                                     start.scale + pair * kStripePair};
    if (n_pairs - pair >= kInterleaved) {
      compute_interleaved<kInterleaved>(steps, pair_start, values + pair * size);
      pair += kInterleaved;
    } else {
      compute_interleaved<1>(steps, pair_start, values + pair * size);
      ++pair;
    }
  }
}

double max_abs_function(std::span<const RecurrenceStep> steps, double mu, ScaledNumber sectoral) {
  double previous = 0, current = sectoral.value, scale = sectoral.scale, largest = 0;
  for (std::size_t k = 0;; ++k) {
    if (scale == 0) largest = std::max(largest, std::abs(current));
    if (k == steps.size()) return largest;
    const double next = std::fma(steps[k].a * mu, current, -(steps[k].b * previous));
    previous = current, current = next;
    if (scale < 0 && std::abs(current) >= kLarge) current *= kShrink, previous *= kShrink, ++scale;
  }
}

}  // namespace halcyon::transform
