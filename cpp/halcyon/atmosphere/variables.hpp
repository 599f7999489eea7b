#pragma once

#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/fields/variable.hpp"

namespace halcyon::atmosphere {

// Every variable of the sets of equations, in the order in which files and `halcyon describe atmosphere` show
// them, and the integrals over the globe.
const std::vector<fields::Variable>& shallow_water_variables();
const std::vector<fields::Variable>& integral_variables();
const std::vector<fields::Variable>& air_variables();
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

/// A row of the state, which is for restart alone.
inline fields::Variable state_row(const char* name, std::vector<std::string> dimensions, const char* units,
                                  const char* long_name) {
  return {name, std::move(dimensions), units, "", long_name, "", true, false};
}
/// A row of files.
inline fields::Variable output_row(std::string name, std::vector<std::string> dimensions, const char* units,
                                   const char* standard_name, std::string long_name, bool restart = false) {
  return {std::move(name),      std::move(dimensions), units,   standard_name,
          std::move(long_name), "time: point",         restart, true};
}
/// A row of an integral.
inline fields::Variable integral_row(std::string name, const char* units, std::string long_name) {
  return {std::move(name), {}, units, "", std::move(long_name), "area: sum time: point", false, false};
}
/// The height of the ground, which every set has.
inline fields::Variable topography_row() {
  return {"topography", {"cell"}, "m", "surface_altitude", "height of the ground", "", false, true};
}

/// What is computed of a state for files: its row of the table, and its value at a cell (and level).
template <class Point>
struct Product {
  fields::Variable variable;
  double (*value)(const Point& at);

  bool has_levels() const { return variable.dimensions.size() > 1; }
};

/// @throws ConfigError that lists what there is
template <class Point>
const Product<Point>& product_named(const std::vector<Product<Point>>& rows, const std::string& name,
                                    const char* whose) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.variable.name == name) return row;
    names.push_back(row.variable.name);
  }
  throw ConfigError(
      fmt::format("There is no product '{}' of the {}. There are: {}.", name, whose, fmt::join(names, ", ")));
}

}  // namespace halcyon::atmosphere
