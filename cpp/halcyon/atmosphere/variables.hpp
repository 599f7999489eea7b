#pragma once

#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/fields/variable.hpp"

namespace halcyon::atmosphere {

// Variables of the equation sets, in the order of output files and `halcyon describe`; global integrals.
const std::vector<fields::Variable>& shallow_water_variables();
const std::vector<fields::Variable>& integral_variables();
const std::vector<fields::Variable>& air_variables();
const std::vector<fields::Variable>& air_integral_variables();

/// Returns the variable of a tracer: from the table, or a new one for a name that is not in the table. If the
/// name is the CF standard name of a mass fraction, it also becomes `standard_name`.
fields::Variable tracer_variable(const std::string& name);
/// True for the tracers in the table of variables: the initial tracer, and the constant tracer (q = 1).
bool is_tracer(const std::string& name);
inline constexpr const char* kConstantTracer = "constant_tracer";
inline constexpr const char* kInitialTracer = "passive_tracer";
fields::Variable tracer_mass_variable(const std::string& name);

/// A variable of restart files only.
inline fields::Variable state_row(const char* name, std::vector<std::string> dimensions, const char* units,
                                  const char* long_name) {
  return {name, std::move(dimensions), units, "", long_name, "", true, false};
}
inline fields::Variable output_row(std::string name, std::vector<std::string> dimensions, const char* units,
                                   const char* standard_name, std::string long_name, bool restart = false) {
  return {std::move(name),      std::move(dimensions), units,   standard_name,
          std::move(long_name), "time: point",         restart, true};
}
inline fields::Variable integral_row(std::string name, const char* units, std::string long_name) {
  return {std::move(name), {}, units, "", std::move(long_name), "area: sum time: point", false, false};
}
/// The height of the orography, which every equation set outputs.
inline fields::Variable topography_row() {
  return {"topography", {"cell"}, "m", "surface_altitude", "height of the ground", "", false, true};
}

/// A product: an output variable and the function that computes it at a cell (and level).
template <class Point>
struct Product {
  fields::Variable variable;
  double (*value)(const Point& point);

  bool has_levels() const { return variable.dimensions.size() > 1; }
};

/// Returns the row of a product. @throws ConfigError that lists the known products
template <class Point>
const Product<Point>& find_product(const std::vector<Product<Point>>& rows, const std::string& name,
                                   const char* model) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.variable.name == name) return row;
    names.push_back(row.variable.name);
  }
  throw ConfigError(
      fmt::format("There is no product '{}' of the {}. There are: {}.", name, model, fmt::join(names, ", ")));
}

}  // namespace halcyon::atmosphere
