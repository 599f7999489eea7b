#include "halcyon/atmosphere/shallow_water/variables.hpp"

#include <fmt/ranges.h>

#include "halcyon/atmosphere/shallow_water/product.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

using fields::Variable;

namespace {

Variable state(const char* name, const char* item, const char* units, const char* long_name) {
  return {name, {item}, units, "", long_name, "", true, false};
}

Variable map(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "time: point", false, true};
}

Variable whole(const char* name, const char* units, const char* long_name) {
  return {name, {}, units, "", long_name, "area: sum time: point", false, false};
}

struct ProductRow {
  Product product;
  Variable variable;
};

const std::vector<ProductRow>& product_rows() {
  static const std::vector<ProductRow> rows = {
      {Product::height, map("height", "m", "", "height of the fluid's surface")},
      {Product::thickness, map("thickness", "m", "", "thickness of the fluid")},
      {Product::eastward_wind, map("eastward_wind", "m s-1", "eastward_wind", "eastward wind")},
      {Product::northward_wind, map("northward_wind", "m s-1", "northward_wind", "northward wind")},
      {Product::vorticity, map("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity")},
      {Product::potential_vorticity, map("potential_vorticity", "m-1 s-1", "", "potential vorticity")},
      {Product::divergence, map("divergence", "s-1", "divergence_of_wind", "divergence of the wind")},
      {Product::kinetic_energy, map("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass")},
  };
  return rows;
}

std::vector<Variable> make_table() {
  std::vector<Variable> table = {
      state("layer_thickness", "cell", "m", "thickness of the fluid"),
      state("ground", "cell", "m", "height of the ground"),
      state("normal_wind", "edge", "m s-1", "wind across the edges, from their first cell to their second"),
  };
  for (const auto& row : product_rows()) table.push_back(row.variable);
  table.push_back({"topography", {"cell"}, "m", "surface_altitude", "height of the ground", "", false, true});
  return table;
}

}  // namespace

Product product_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [product, variable] : product_rows()) {
    if (variable.name == name) return product;
    names.push_back(variable.name);
  }
  throw ConfigError(fmt::format("There is no product '{}' of the atmosphere. There are: {}.", name,
                                fmt::join(names, ", ")));
}

const std::vector<Variable>& shallow_water_variables() {
  static const std::vector<Variable> table = make_table();
  return table;
}

const std::vector<Variable>& integral_variables() {
  static const std::vector<Variable> table = {
      whole("mass", "m3", "volume of the fluid"),
      whole("energy", "m5 s-2", "kinetic and potential energy over density"),
      whole("potential_enstrophy", "m s-2", "half the thickness times the potential vorticity squared"),
      whole("angular_momentum", "m5 s-1", "angular momentum around the axis of the planet over density"),
  };
  return table;
}

}  // namespace halcyon::atmosphere
