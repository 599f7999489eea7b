#pragma once

#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

std::vector<Option> wam4_option_table();

/// The physics of WAM cycle 4 (Janssen 1991; Komen et al. 1994), with the whitecapping of the present IFS as
/// an option (Bidlot et al. 2005; 2007).
std::unique_ptr<Physics> make_wam4(const SpectralGrid& grid, const Options& resolved);

}  // namespace halcyon::wave
