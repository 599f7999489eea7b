#include <utility>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// The recurrences of polynomials.cpp with a pair of stripes per register.
namespace halcyon::transform {
namespace {

/// The recurrence over n at a pair of stripes.
struct Recurrence {
  Wide mu, previous, current, scale;

  HALCYON_WIDE __mmask8 scaled() const { return _mm512_cmp_pd_mask(scale, Wide{}, _CMP_LT_OQ); }
  HALCYON_WIDE Wide result() const {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(scale, Wide{}, _CMP_EQ_OQ), current);
  }
  HALCYON_WIDE void step(RecurrenceStep s) {
    const Wide next = _mm512_fmsub_pd(broadcast_wide(s.a) * mu, current, broadcast_wide(s.b) * previous);
    previous = current;
    current = next;
  }
  /// Rescales values that have reached kLarge.
  HALCYON_WIDE void rescale() {
    const auto grown =
        _mm512_mask_cmp_pd_mask(scaled(), _mm512_abs_pd(current), broadcast_wide(kLarge), _CMP_GE_OQ);
    current = _mm512_mask_mul_pd(current, grown, current, broadcast_wide(kShrink));
    previous = _mm512_mask_mul_pd(previous, grown, previous, broadcast_wide(kShrink));
    scale = _mm512_mask_add_pd(scale, grown, scale, broadcast_wide(1.0));
  }
};

/// Runs the recurrences of P neighbouring pairs of stripes in one loop.
template <int P>
HALCYON_WIDE void compute_interleaved(std::span<const RecurrenceStep> steps, const RecurrenceStart& start,
                                      double* values) {
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  const std::size_t pitch = static_cast<std::size_t>(n) * kStripePair;
  Recurrence recurrences[P];
  bool scaled = false;
  for (int c = 0; c < P; ++c) {
    recurrences[c] = {load_wide(start.mu + c * kStripePair), Wide{}, load_wide(start.value + c * kStripePair),
                      load_wide(start.scale + c * kStripePair)};
    scaled = scaled || recurrences[c].scaled();
  }
  double *now = values, *next = values + n_even * kStripePair;  // alternate between even and odd n - m
  int k = 0;
  for (; scaled && k + 1 < n; ++k, now += kStripePair, std::swap(now, next)) {
    scaled = false;
    for (int c = 0; c < P; ++c) {
      store(now + c * pitch, recurrences[c].result());
      recurrences[c].step(steps[k]);
      recurrences[c].rescale();
      scaled = scaled || recurrences[c].scaled();
    }
  }
  for (; k + 1 < n; ++k, now += kStripePair, std::swap(now, next))
    for (int c = 0; c < P; ++c) {
      store(now + c * pitch, recurrences[c].current);
      recurrences[c].step(steps[k]);
    }
  for (int c = 0; c < P; ++c) store(now + c * pitch, recurrences[c].result());
}

}  // namespace

void legendre_functions_wide(std::span<const RecurrenceStep> steps, const RecurrenceStart& start, int n_pairs,
                             double* values) {
  const std::size_t size = (steps.size() + 1) * kStripePair;
  int at = 0;
  const auto compute = [&](auto compute_pairs, int n) {
    for (; n_pairs - at >= n; at += n) {
      const RecurrenceStart rest{start.mu + at * kStripePair, start.value + at * kStripePair,
                                 start.scale + at * kStripePair};
      compute_pairs(steps, rest, values + at * size);
    }
  };
  compute(compute_interleaved<4>, 4);
  compute(compute_interleaved<2>, 2);
  compute(compute_interleaved<1>, 1);
}

}  // namespace halcyon::transform
