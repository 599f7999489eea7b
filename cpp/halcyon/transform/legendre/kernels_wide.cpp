#define HALCYON_KERNEL HALCYON_WIDE
#define HALCYON_KERNEL_LAMBDA __attribute__((target("avx512f"), always_inline))
#include "halcyon/transform/legendre/kernels_of_pairs.hpp"

namespace halcyon::transform {
namespace {

/// Computes the base functions at kPairs pairs of stripes in one loop, which hides the latency of the steps.
template <int kPairs, class Real>
HALCYON_WIDE void compute_functions(const BaseStep* steps, int n, const BaseStart& start, int pair,
                                    Real* values) {
  Wide x[kPairs], even[kPairs], odd[kPairs];  // the functions of even and of odd j, counted from the first
#pragma GCC unroll 4
  for (int i = 0; i < kPairs; ++i) {
    const int index = (pair + i) * kStripePair;
    x[i] = load_wide(start.x + index), odd[i] = load_wide(start.previous + index),
    even[i] = load_wide(start.current + index);
  }
  const std::size_t pitch = static_cast<std::size_t>(n) * kStripePair;
  const auto step = [&](BaseStep s, Wide(&current)[kPairs],
                        Wide(&previous)[kPairs]) __attribute__((target("avx512f"), always_inline)) {
    const Wide a = broadcast_wide(s.a), b = broadcast_wide(s.b);
#pragma GCC unroll 4
    for (int i = 0; i < kPairs; ++i) {
      store(values + i * pitch, current[i]);
      previous[i] = _mm512_fmadd_pd(_mm512_fmadd_pd(x[i], a, b), current[i], previous[i]);
    }
    values += kStripePair;
  };
  int j = 0;
  for (; j + 1 < n; j += 2) step(steps[j], even, odd), step(steps[j + 1], odd, even);
  if (j < n) step(steps[j], even, odd);
}

template <class Real>
void functions(const BaseStep* steps, int n, const BaseStart& start, int n_pairs, Real* values) {
  int pair = 0;
  const auto compute = [&](auto compute_pairs, int n_taken) {
    for (; n_pairs - pair >= n_taken; pair += n_taken)
      compute_pairs(steps, n, start, pair, values + static_cast<std::size_t>(pair) * n * kStripePair);
  };
  compute(compute_functions<4, Real>, 4);
  compute(compute_functions<2, Real>, 2);
  compute(compute_functions<1, Real>, 1);
}

}  // namespace

const Kernels kWideKernels{functions<double>, coefficients_to_terms<Wide>, sums_to_coefficients<Wide>,
                           sum_over_terms<Wide>, sum_over_latitudes<Wide>};
const FunctionsKernel<float> kWideSingleFunctions = functions<float>;

}  // namespace halcyon::transform
