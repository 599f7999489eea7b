#pragma once

#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

std::vector<Option> wam3_option_table();

/// The third-generation physics of WAM cycle 3 (WAMDI 1988; Komen et al. 1984).
std::unique_ptr<Physics> make_wam3(const SpectralGrid& grid, const Options& resolved);

}  // namespace halcyon::wave
