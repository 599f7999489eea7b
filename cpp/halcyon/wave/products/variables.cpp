#include "halcyon/wave/products/variables.hpp"

#include "halcyon/wave/products/table.hpp"

namespace halcyon::wave {

using fields::Variable;

namespace {

Variable state(const char* name, const char* units, const char* long_name) {
  return {name, {"cell", "frequency", "direction"}, units, "", long_name, "", true, false};
}

Variable map(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "time: point", false, true};
}

Variable fixed(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "", false, true};
}

// What a run gathers over its time: a restart file holds it where it is written.
Variable gathered(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "time: maximum", true, true};
}

std::vector<Variable> make_table() {
  std::vector<Variable> rows = {
      state("action", "m2 s2", "wave action density F/sigma over frequency and direction (radians)")};
  for (const auto& product : wave_products()) rows.push_back(product.variable);
  rows.push_back(gathered("largest_significant_height", "m", "sea_surface_wave_significant_height",
                          "largest significant wave height since the start"));
  rows.push_back(map("friction_velocity", "m s-1", "magnitude_of_surface_friction_velocity_in_air",
                     "friction velocity of the air"));
  rows.push_back(map("roughness_length", "m", "surface_roughness_length_for_momentum_in_air",
                     "roughness length of the sea for the wind"));
  rows.push_back(map("eastward_stress", "Pa", "surface_downward_eastward_stress",
                     "eastward stress of the wind on the sea"));
  rows.push_back(map("northward_stress", "Pa", "surface_downward_northward_stress",
                     "northward stress of the wind on the sea"));
  rows.push_back(map("eastward_wind", "m s-1", "eastward_wind", "eastward wind at 10 m"));
  rows.push_back(map("northward_wind", "m s-1", "northward_wind", "northward wind at 10 m"));
  rows.push_back(map("water_level", "m", "sea_surface_height_above_mean_sea_level",
                     "water level above that of the depth"));
  rows.push_back(map("eastward_current", "m s-1", "eastward_sea_water_velocity", "eastward current"));
  rows.push_back(map("northward_current", "m s-1", "northward_sea_water_velocity", "northward current"));
  rows.push_back(map("ice_fraction", "1", "sea_ice_area_fraction", "part of the cell under ice"));
  rows.push_back(fixed("depth", "m", "sea_floor_depth_below_sea_surface", "water depth"));
  return rows;
}

}  // namespace

const std::vector<Variable>& wave_variables() {
  static const std::vector<Variable> table = make_table();
  return table;
}

}  // namespace halcyon::wave
