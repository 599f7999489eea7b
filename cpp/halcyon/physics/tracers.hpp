#pragma once

#include <array>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"

/// Names and variables of the tracers of models of the air.
namespace halcyon::physics {

inline constexpr const char* kConstantTracer = "constant_tracer";
inline constexpr const char* kInitialTracer = "passive_tracer";
/// The tracers of water in moist air, mixing ratios over the dry air; they come before the other tracers.
inline const std::array<std::string, 3> kWaterTracers{"water_vapour", "cloud_water", "rain_water"};

/// The variables of the tracers that have a table entry: water, the initial and the constant tracer.
/// @param item the dimension of columns
std::vector<fields::Variable> table_tracers(const char* item);
/// Returns the variable of a tracer: from the table, or a new one for a name that is not in the table. If the
/// name is the CF standard name of a mass fraction, it also becomes `standard_name`.
fields::Variable tracer_variable(const std::string& name, const char* item);
/// The variable of the global mass of a tracer.
fields::Variable tracer_mass_variable(const std::string& name);

}  // namespace halcyon::physics
