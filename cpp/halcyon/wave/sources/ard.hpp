#pragma once

#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

std::vector<Option> ard_option_table();
std::vector<Option> fvwam_option_table();

/// The physics of Ardhuin et al. (2010) in the form of the IFS (IFS documentation CY45R1 to CY49R1, part
/// VII).
std::unique_ptr<Physics> make_ard(const SpectralGrid& grid, const Options& resolved);

/// The same as FVWAM has it (Pang et al. 2025), with the constants of its source, and its floor.
std::unique_ptr<Physics> make_fvwam(const SpectralGrid& grid, const Options& resolved);

}  // namespace halcyon::wave
