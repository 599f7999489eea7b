#pragma once

#include <vector>

#include "halcyon/fields/variable.hpp"

namespace halcyon::atmosphere {

/// Every variable of shallow water, in the order in which files and `halcyon describe atmosphere` show them.
const std::vector<fields::Variable>& shallow_water_variables();

/// The same of the hydrostatic and the nonhydrostatic equations.
const std::vector<fields::Variable>& air_variables();

/// The integrals over the globe.
const std::vector<fields::Variable>& integral_variables();

/// The same of the air.
const std::vector<fields::Variable>& air_integral_variables();

}  // namespace halcyon::atmosphere
