#include <utility>

#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/registers/registers.hpp"

/// What polynomials.cpp does, of a pair of stripes in a register.
namespace halcyon::transform {
namespace {

/// A pair of stripes on its way through n.
struct Chain {
  Wide mu, last, now, scale;

  HALCYON_WIDE __mmask8 scaled() const { return _mm512_cmp_pd_mask(scale, Wide{}, _CMP_LT_OQ); }
  HALCYON_WIDE Wide result() const {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(scale, Wide{}, _CMP_EQ_OQ), now);
  }
  HALCYON_WIDE void step(Step s) {
    const Wide next = _mm512_fmsub_pd(wide_of(s.a) * mu, now, wide_of(s.b) * last);
    last = now;
    now = next;
  }
  /// What has grown goes one scale up.
  HALCYON_WIDE void rescale() {
    const auto grown = _mm512_mask_cmp_pd_mask(scaled(), _mm512_abs_pd(now), wide_of(kLarge), _CMP_GE_OQ);
    now = _mm512_mask_mul_pd(now, grown, now, wide_of(kShrink));
    last = _mm512_mask_mul_pd(last, grown, last, wide_of(kShrink));
    scale = _mm512_mask_add_pd(scale, grown, scale, wide_of(1.0));
  }
};

/// The chains of P neighbouring pairs, side by side.
template <int P>
HALCYON_WIDE void side_by_side(std::span<const Step> steps, const Places& places, double* values) {
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  const std::size_t pitch = static_cast<std::size_t>(n) * kPair;
  Chain chains[P];
  bool scaled = false;
  for (int c = 0; c < P; ++c) {
    chains[c] = {load_wide(places.mu + c * kPair), Wide{}, load_wide(places.value + c * kPair),
                 load_wide(places.scale + c * kPair)};
    scaled = scaled || chains[c].scaled();
  }
  double *now = values, *next = values + n_even * kPair;  // of even and odd n - m, by turns
  int k = 0;
  for (; scaled && k + 1 < n; ++k, now += kPair, std::swap(now, next)) {
    scaled = false;
    for (int c = 0; c < P; ++c) {
      store(now + c * pitch, chains[c].result());
      chains[c].step(steps[k]);
      chains[c].rescale();
      scaled = scaled || chains[c].scaled();
    }
  }
  for (; k + 1 < n; ++k, now += kPair, std::swap(now, next))
    for (int c = 0; c < P; ++c) {
      store(now + c * pitch, chains[c].now);
      chains[c].step(steps[k]);
    }
  for (int c = 0; c < P; ++c) store(now + c * pitch, chains[c].result());
}

}  // namespace

void functions_wide(std::span<const Step> steps, const Places& places, int n_pairs, double* values) {
  const std::size_t size = (steps.size() + 1) * kPair;
  int at = 0;
  const auto compute = [&](auto by, int n) {
    for (; n_pairs - at >= n; at += n) {
      const Places rest{places.mu + at * kPair, places.value + at * kPair, places.scale + at * kPair};
      by(steps, rest, values + at * size);
    }
  };
  compute(side_by_side<4>, 4);
  compute(side_by_side<2>, 2);
  compute(side_by_side<1>, 1);
}

}  // namespace halcyon::transform
