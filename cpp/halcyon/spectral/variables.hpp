#pragma once

#include <vector>

#include "halcyon/fields/variable.hpp"

namespace halcyon::spectral {

/// The variables of each set of equations, in the order in which files and `halcyon describe spectral` show
/// them.
const std::vector<fields::Variable>& barotropic_variables();
const std::vector<fields::Variable>& shallow_water_variables();
const std::vector<fields::Variable>& primitive_variables();

/// Their integrals over the globe.
const std::vector<fields::Variable>& barotropic_integral_variables();
const std::vector<fields::Variable>& shallow_water_integral_variables();
const std::vector<fields::Variable>& primitive_integral_variables();

/// What a coefficient's real and imaginary part are the values of; coefficients of several levels stand level
/// by level.
inline constexpr const char* kPart = "part";
inline constexpr const char* kCoefficient = "coefficient";
inline constexpr const char* kLevelCoefficient = "level_coefficient";

/// The row of the coefficients of a state, by the start of its name.
inline constexpr const char* kCoefficients = "_coefficients";

/// What the last of the two times of a leapfrog scheme is called.
inline constexpr const char* kBefore = "_before";

}  // namespace halcyon::spectral
