#pragma once

#include <vector>

#include "halcyon/fields/variable.hpp"

namespace halcyon::wave {

/// Every variable of the wave model, in the order in which files and `halcyon describe wave` show them.
const std::vector<fields::Variable>& wave_variables();

}  // namespace halcyon::wave
