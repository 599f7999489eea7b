#define HALCYON_KERNEL  // AVX2, which every supported processor has
#define HALCYON_KERNEL_LAMBDA __attribute__((always_inline))
#include "halcyon/transform/legendre/kernels_of_pairs.hpp"

namespace halcyon::transform {

BasicKernels<float> single_kernels() {
  return {has_wide_registers() ? kWideSingleFunctions : kNarrowSingleFunctions,
          coefficients_to_terms<SingleWide>, sums_to_coefficients<SingleWide>, sum_over_terms<SingleWide>,
          sum_over_latitudes<SingleWide>};
}

}  // namespace halcyon::transform
