#include <utility>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// The recurrences of polynomials.cpp with a pair of stripes per register.
namespace halcyon::transform {
namespace {

/// The recurrence over n at a pair of stripes: P_{n-1,m} and P_nm, divided by 2^(512 scale).
struct Recurrence {
  Wide mu, previous, current, scale;

  HALCYON_WIDE __mmask8 scaled_lanes() const { return _mm512_cmp_pd_mask(scale, Wide{}, _CMP_LT_OQ); }
  /// Returns P_nm where scale = 0, and 0 elsewhere.
  HALCYON_WIDE Wide result() const {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(scale, Wide{}, _CMP_EQ_OQ), current);
  }
  HALCYON_WIDE void step(RecurrenceStep s) {
    const Wide next = _mm512_fmsub_pd(broadcast_wide(s.a) * mu, current, broadcast_wide(s.b) * previous);
    previous = current, current = next;
  }
  /// Rescales values that have reached kLarge.
  HALCYON_WIDE void rescale() {
    const auto grown =
        _mm512_mask_cmp_pd_mask(scaled_lanes(), _mm512_abs_pd(current), broadcast_wide(kLarge), _CMP_GE_OQ);
    current = _mm512_mask_mul_pd(current, grown, current, broadcast_wide(kShrink));
    previous = _mm512_mask_mul_pd(previous, grown, previous, broadcast_wide(kShrink));
    scale = _mm512_mask_add_pd(scale, grown, scale, broadcast_wide(1.0));
  }
};

/// Runs the recurrences of kPairs neighbouring pairs of stripes in one loop.
template <int kPairs>
HALCYON_WIDE void compute_interleaved(std::span<const RecurrenceStep> steps, const RecurrenceStart& start,
                                      double* values) {
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  const std::size_t pitch = static_cast<std::size_t>(n) * kStripePair;
  Recurrence recurrences[kPairs];
  bool any_scaled = false;
  for (int i = 0; i < kPairs; ++i) {
    recurrences[i] = {load_wide(start.mu + i * kStripePair), Wide{}, load_wide(start.value + i * kStripePair),
                      load_wide(start.scale + i * kStripePair)};
    any_scaled = any_scaled || recurrences[i].scaled_lanes();
  }
  double *now = values, *next = values + n_even * kStripePair;  // alternate between even and odd n - m
  int k = 0;
  for (; any_scaled && k + 1 < n; ++k, now += kStripePair, std::swap(now, next)) {
    any_scaled = false;
    for (int i = 0; i < kPairs; ++i) {
      store(now + i * pitch, recurrences[i].result());
      recurrences[i].step(steps[k]);
      recurrences[i].rescale();
      any_scaled = any_scaled || recurrences[i].scaled_lanes();
    }
  }
  for (; k + 1 < n; ++k, now += kStripePair, std::swap(now, next))
    for (int i = 0; i < kPairs; ++i) {
      store(now + i * pitch, recurrences[i].current);
      recurrences[i].step(steps[k]);
    }
  for (int i = 0; i < kPairs; ++i) store(now + i * pitch, recurrences[i].result());
}

}  // namespace

void legendre_functions_wide(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                             double* values) {
  const std::size_t size = (steps.size() + 1) * kStripePair;
  int pair = 0;
  const auto compute = [&](auto compute_pairs, int n) {
    for (; n_pairs - pair >= n; pair += n) {
      const RecurrenceStart pair_start{start.mu + pair * kStripePair, start.value + pair * kStripePair,
                                       start.scale + pair * kStripePair};
      compute_pairs(steps, pair_start, values + pair * size);
    }
  };
  compute(compute_interleaved<4>, 4);
  compute(compute_interleaved<2>, 2);
  compute(compute_interleaved<1>, 1);
}

}  // namespace halcyon::transform
