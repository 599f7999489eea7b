#pragma once

#include <string>
#include <vector>

namespace halcyon::fields {

/// One row of a model's table of variables. Allocation, exchange, restart, netCDF attributes and the docs are
/// made from it. An empty text means that the attribute does not apply.
struct Variable {
  std::string name;
  std::vector<std::string> dimensions;  ///< outermost first: cell, frequency, direction
  std::string units;                    ///< as UDUNITS reads them
  std::string standard_name;            ///< of the CF standard name table
  std::string long_name;
  std::string cell_methods;
  bool restart = false;  ///< a restart file holds it
  bool output = false;   ///< may be named in output.variables
};

/// The row called `name`; throws ConfigError that lists what may be asked for.
const Variable& find(const std::vector<Variable>& table, const std::string& name);

}  // namespace halcyon::fields
