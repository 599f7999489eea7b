#pragma once

#include <string>
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

/// Returns the row called `name`. @throws ConfigError that lists the known names
const Variable& find(const std::vector<Variable>& table, const std::string& name);

}  // namespace halcyon::fields
