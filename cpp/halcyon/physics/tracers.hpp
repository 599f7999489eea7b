#pragma once

#include <array>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"

/// Names and variables of the tracers of models of the air, and diagnostics of its water.
namespace halcyon::physics {

inline constexpr const char* kConstantTracer = "constant_tracer";
inline constexpr const char* kInitialTracer = "passive_tracer";
/// The tracers of water in moist air, mixing ratios over the dry air; they come before the other tracers.
inline const std::array<std::string, 3> kWaterTracers{"water_vapour", "cloud_water", "rain_water"};

/// The variables of the tracers that have a table entry: water, the initial and the constant tracer.
/// @param item the dimension of columns
std::vector<fields::Variable> table_tracers(const char* item);
/// True for the tracers of this table.
bool is_table_tracer(const std::string& name);
/// Returns the variable of a tracer: from the table, or a new one for a name that is not in the table. If the
/// name is the CF standard name of a mass fraction, it also becomes `standard_name`.
fields::Variable tracer_variable(const std::string& name, const char* item);
/// Returns the names with those of water before them in moist air. @throws ConfigError if one is there twice
std::vector<std::string> all_tracers(std::vector<std::string> names, bool is_moist);
/// The variable of the global mass of a tracer.
fields::Variable tracer_mass_variable(const std::string& name);

/// The output variables that only moist air has: virtual temperature, relative humidity, and the mass of
/// vapour in the column.
std::array<fields::Variable, 3> humidity_variables(const char* item);
/// The masses of the dry air and of all water.
std::array<fields::Variable, 2> water_integral_variables();
/// True for the variables and integrals that only moist air has.
bool needs_water(const std::string& name);

/// Vapour pressure over its saturation value over liquid water (Bolton 1980, Mon. Weather Rev. 108, equation
/// 10): p q_v / (R/R_v + q_v) / e_s(T). @param ratio R/R_v
double relative_humidity(double pressure, double temperature, double vapour, double ratio);

}  // namespace halcyon::physics
