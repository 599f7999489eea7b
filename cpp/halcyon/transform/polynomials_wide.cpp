#include <utility>

#include "halcyon/transform/polynomials.hpp"
#include "halcyon/transform/wide.hpp"

/// What polynomials.cpp does, of two stripes in a register.
namespace halcyon::transform {
namespace {

/// Two stripes on their way through n.
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

/// At both stripes, which stand `pitch` numbers apart.
HALCYON_WIDE void put(Wide x, double* at, std::size_t pitch) {
  store(at, __builtin_shufflevector(x, x, 0, 1, 2, 3));
  store(at + pitch, __builtin_shufflevector(x, x, 4, 5, 6, 7));
}

/// The chains of 2 C neighbouring stripes, side by side.
template <int C>
HALCYON_WIDE void side_by_side(std::span<const Step> steps, const Places& places, double* values) {
  const int n = static_cast<int>(steps.size()) + 1, n_even = (n + 1) / 2;
  const std::size_t pitch = static_cast<std::size_t>(n) * kLanes;
  Chain chains[C];
  bool scaled = false;
  for (int c = 0; c < C; ++c) {
    const int place = 2 * c * kLanes;
    chains[c] = {load_wide(places.mu + place), Wide{}, load_wide(places.value + place),
                 load_wide(places.scale + place)};
    scaled = scaled || chains[c].scaled();
  }
  double *now = values, *next = values + n_even * kLanes;  // of even and odd n - m, by turns
  int k = 0;
  for (; scaled && k + 1 < n; ++k, now += kLanes, std::swap(now, next)) {
    scaled = false;
    for (int c = 0; c < C; ++c) {
      put(chains[c].result(), now + 2 * c * pitch, pitch);
      chains[c].step(steps[k]);
      chains[c].rescale();
      scaled = scaled || chains[c].scaled();
    }
  }
  for (; k + 1 < n; ++k, now += kLanes, std::swap(now, next))
    for (int c = 0; c < C; ++c) {
      put(chains[c].now, now + 2 * c * pitch, pitch);
      chains[c].step(steps[k]);
    }
  for (int c = 0; c < C; ++c) put(chains[c].result(), now + 2 * c * pitch, pitch);
}

}  // namespace

void functions_wide(std::span<const Step> steps, const Places& places, int n_stripes, double* values) {
  const std::size_t size = (steps.size() + 1) * kLanes;
  int s = 0;
  const auto compute = [&](auto by, int n) {
    for (; n_stripes - s >= n; s += n) {
      const Places rest{places.mu + s * kLanes, places.value + s * kLanes, places.scale + s * kLanes};
      by(steps, rest, values + s * size);
    }
  };
  compute(side_by_side<4>, 8);
  compute(side_by_side<2>, 4);
  compute(side_by_side<1>, 2);
  compute([](auto by, auto at, double* to) { functions(by, at, 1, to); }, 1);
}

}  // namespace halcyon::transform
