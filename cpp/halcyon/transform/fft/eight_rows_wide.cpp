// Functions that return registers are inlined into their callers, so their ABI does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define HALCYON_KERNEL HALCYON_WIDE
#include "halcyon/transform/fft/eight_rows_of_halves.hpp"

namespace halcyon::transform {

const RowKernels kWideRows{to_values<Wide>, to_waves<Wide>};

}  // namespace halcyon::transform
