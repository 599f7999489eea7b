#pragma once

#include <string>
#include <utility>
#include <vector>

namespace halcyon::fields {

/// One row of the table of variables of a model, from which allocation, exchange, restart files, netCDF
/// attributes and docs are derived. An empty string means that the attribute does not apply.
struct Variable {
  std::string name;
  std::vector<std::string> dimensions;  ///< outermost first: cell, frequency, direction
  std::string units;                    ///< in UDUNITS notation
  std::string standard_name = {};       ///< from the CF standard name table
  std::string long_name;
  std::string cell_methods = {};
  bool restart = false;  ///< is stored in restart files
  bool output = false;   ///< is allowed in output.variables
};

/// A variable of restart files only.
inline Variable restart_variable(std::string name, std::vector<std::string> dimensions, const char* units,
                                 std::string long_name) {
  return {.name = std::move(name),
          .dimensions = std::move(dimensions),
          .units = units,
          .long_name = std::move(long_name),
          .restart = true};
}
/// An output variable at one time.
inline Variable output_variable(std::string name, std::vector<std::string> dimensions, const char* units,
                                const char* standard_name, std::string long_name, bool restart = false) {
  return {.name = std::move(name),
          .dimensions = std::move(dimensions),
          .units = units,
          .standard_name = standard_name,
          .long_name = std::move(long_name),
          .cell_methods = "time: point",
          .restart = restart,
          .output = true};
}
/// A global integral.
inline Variable integral_variable(std::string name, const char* units, std::string long_name) {
  auto variable = output_variable(std::move(name), {}, units, "", std::move(long_name));
  variable.cell_methods = "area: sum time: point", variable.output = false;
  return variable;
}
/// The height of the orography at cells or points, which does not change in time.
inline Variable topography_variable(std::string dimension) {
  auto variable =
      output_variable("topography", {std::move(dimension)}, "m", "surface_altitude", "height of the ground");
  variable.cell_methods.clear();
  return variable;
}

/// Returns the row called `name`. @throws ConfigError that lists the known names
const Variable& find(const std::vector<Variable>& table, const std::string& name);

}  // namespace halcyon::fields
