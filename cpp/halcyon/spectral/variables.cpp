#include "halcyon/spectral/variables.hpp"

#include <fmt/format.h>

namespace halcyon::spectral {

using fields::Variable;
using Table = std::vector<Variable>;

namespace {

/// Coefficients at the present time, and at the one before for leapfrog.
void add_state(Table& table, const std::string& name, const char* units, const char* meaning,
               const char* dimension = kCoefficient) {
  for (const auto& [ending, when] : {std::pair("", ""), std::pair(kBefore, ", a step before")})
    table.push_back({name + kCoefficients + ending,
                     {dimension, kPart},
                     units,
                     "",
                     fmt::format("coefficients of {}{}", meaning, when),
                     "",
                     true,
                     false});
}

Variable map(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"point"}, units, standard_name, long_name, "time: point", false, true};
}

Variable on_levels(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"point", "level"}, units, standard_name, long_name, "time: point", false, true};
}

Variable whole(const char* name, const char* units, const char* long_name) {
  return {name, {}, units, "", long_name, "area: sum time: point", false, false};
}

Variable topography() {
  return {"topography", {"point"}, "m", "surface_altitude", "height of the ground", "", false, true};
}

Table barotropic_table() {
  Table table;
  add_state(table, "vorticity", "s-1", "relative vorticity");
  table.push_back(map("eastward_wind", "m s-1", "eastward_wind", "eastward wind"));
  table.push_back(map("northward_wind", "m s-1", "northward_wind", "northward wind"));
  table.push_back(map("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"));
  table.push_back(map("absolute_vorticity", "s-1", "atmosphere_absolute_vorticity",
                      "vorticity of the wind and the planet"));
  table.push_back(map("stream_function", "m2 s-1", "atmosphere_horizontal_streamfunction",
                      "stream function of the wind"));
  table.push_back(map("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass"));
  table.push_back(topography());
  return table;
}

Table shallow_water_table() {
  Table table;
  add_state(table, "vorticity", "s-1", "relative vorticity");
  add_state(table, "divergence", "s-1", "the wind's divergence");
  add_state(table, "thickness", "m2 s-2", "the fluid's thickness times gravity");
  table.push_back(map("height", "m", "", "height of the fluid's surface"));
  table.push_back(map("thickness", "m", "", "thickness of the fluid"));
  table.push_back(map("eastward_wind", "m s-1", "eastward_wind", "eastward wind"));
  table.push_back(map("northward_wind", "m s-1", "northward_wind", "northward wind"));
  table.push_back(map("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"));
  table.push_back(map("potential_vorticity", "m-1 s-1", "", "potential vorticity"));
  table.push_back(map("divergence", "s-1", "divergence_of_wind", "divergence of the wind"));
  table.push_back(map("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass"));
  table.push_back(topography());
  return table;
}

Table primitive_table() {
  Table table;
  add_state(table, "vorticity", "s-1", "relative vorticity", kLevelCoefficient);
  add_state(table, "divergence", "s-1", "the wind's divergence", kLevelCoefficient);
  add_state(table, "temperature", "K", "temperature", kLevelCoefficient);
  add_state(table, "log_surface_pressure", "1", "the logarithm of the pressure at the ground in Pa");
  table.push_back(map("surface_pressure", "Pa", "surface_air_pressure", "pressure at the ground"));
  table.push_back(on_levels("pressure", "Pa", "air_pressure", "pressure"));
  table.push_back(on_levels("temperature", "K", "air_temperature", "temperature"));
  table.push_back(
      on_levels("potential_temperature", "K", "air_potential_temperature", "potential temperature"));
  table.push_back(on_levels("geopotential_height", "m", "geopotential_height", "geopotential height"));
  table.push_back(on_levels("eastward_wind", "m s-1", "eastward_wind", "eastward wind"));
  table.push_back(on_levels("northward_wind", "m s-1", "northward_wind", "northward wind"));
  table.push_back(on_levels("pressure_velocity", "Pa s-1", "lagrangian_tendency_of_air_pressure",
                            "change of the pressure of air on its way"));
  table.push_back(on_levels("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"));
  table.push_back(on_levels("divergence", "s-1", "divergence_of_wind", "divergence of the wind"));
  table.push_back(on_levels("kinetic_energy", "m2 s-2", "specific_kinetic_energy_of_air",
                            "kinetic energy of a unit of mass"));
  table.push_back(topography());
  return table;
}

}  // namespace

const Table& barotropic_variables() {
  static const Table table = barotropic_table();
  return table;
}

const Table& shallow_water_variables() {
  static const Table table = shallow_water_table();
  return table;
}

const Table& primitive_variables() {
  static const Table table = primitive_table();
  return table;
}

const Table& barotropic_integral_variables() {
  static const Table table = {
      whole("energy", "m4 s-2", "kinetic energy over density and depth"),
      whole("enstrophy", "m2 s-2", "half the absolute vorticity squared"),
      whole("angular_momentum", "m4 s-1", "angular momentum around the axis over density and depth"),
  };
  return table;
}

const Table& shallow_water_integral_variables() {
  static const Table table = {
      whole("mass", "m3", "volume of the fluid"),
      whole("energy", "m5 s-2", "kinetic and potential energy over density"),
      whole("potential_enstrophy", "m s-2", "half the thickness times the potential vorticity squared"),
      whole("angular_momentum", "m5 s-1", "angular momentum around the axis of the planet over density"),
  };
  return table;
}

const Table& primitive_integral_variables() {
  static const Table table = {
      whole("mass", "kg", "mass of the air"),
      whole("energy", "J",
            "kinetic, internal and potential energy, and the work against the pressure of the top"),
      whole("enstrophy", "kg s-2", "half the mass times the absolute vorticity squared"),
      whole("angular_momentum", "kg m2 s-1", "angular momentum around the axis of the planet"),
  };
  return table;
}

}  // namespace halcyon::spectral
