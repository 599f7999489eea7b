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

/// The row of a tracer: that of the table, or one for a name that the table does not have, which is its CF
/// standard name if it is that of a mass fraction.
fields::Variable tracer_variable(const std::string& name);
/// Whether a row of the air's table is a tracer; one of them is 1 everywhere, and stays so.
bool is_tracer(const std::string& name);
inline constexpr const char* kConstantTracer = "constant_tracer";
inline constexpr const char* kTracerOfStart = "passive_tracer";
/// The row of the integral of a tracer.
fields::Variable tracer_mass(const std::string& name);

}  // namespace halcyon::atmosphere
