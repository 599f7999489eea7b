#define HALCYON_KERNEL  // AVX2, which every supported processor has
#include "halcyon/transform/fft/eight_rows_of_halves.hpp"

namespace halcyon::transform {

const BasicRowKernels<float> kSingleRows{to_values<SingleWide>, to_waves<SingleWide>};

}  // namespace halcyon::transform
