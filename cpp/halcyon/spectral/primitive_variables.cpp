#include "halcyon/physics/tracers.hpp"
#include "halcyon/spectral/equation_set.hpp"

namespace halcyon::spectral {

std::vector<fields::Variable> primitive_variables() {
  std::vector<fields::Variable> table;
  add_restart_variables(table, "vorticity", "s-1", "relative vorticity", kLevelCoefficient);
  add_restart_variables(table, "divergence", "s-1", "the wind's divergence", kLevelCoefficient);
  add_restart_variables(table, "temperature", "K", "temperature", kLevelCoefficient);
  add_restart_variables(table, "log_surface_pressure", "1",
                        "the logarithm of the pressure at the ground in Pa");
  add_surface_variable(table, "surface_pressure", "Pa", "surface_air_pressure", "pressure at the ground");
  add_level_variable(table, "pressure", "Pa", "air_pressure", "pressure");
  add_level_variable(table, "temperature", "K", "air_temperature", "temperature");
  add_level_variable(table, "potential_temperature", "K", "air_potential_temperature",
                     "potential temperature");
  add_level_variable(table, "geopotential_height", "m", "geopotential_height", "geopotential height");
  add_level_variable(table, "eastward_wind", "m s-1", "eastward_wind", "eastward wind");
  add_level_variable(table, "northward_wind", "m s-1", "northward_wind", "northward wind");
  add_level_variable(table, "pressure_velocity", "Pa s-1", "lagrangian_tendency_of_air_pressure",
                     "rate of change of pressure following the air");
  add_level_variable(table, "vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity");
  add_level_variable(table, "divergence", "s-1", "divergence_of_wind", "divergence of the wind");
  add_level_variable(table, "kinetic_energy", "m2 s-2", "specific_kinetic_energy_of_air",
                     "kinetic energy of a unit of mass");
  for (auto& row : physics::humidity_variables("point")) table.push_back(row);
  for (const auto& row : physics::table_tracers("point")) {
    auto tracer = row;
    tracer.restart = false;  // its values are, as level times point
    table.push_back(tracer);
  }
  table.push_back(topography_variable("point"));
  return table;
}

std::vector<fields::Variable> primitive_integral_variables() {
  const auto [dry_air_mass, water_mass] = physics::water_integral_variables();
  return {
      integral_variable("mass", "kg", "mass of the air"),
      integral_variable(
          "energy", "J",
          "kinetic, internal and potential energy, and the work against the pressure of the top"),
      integral_variable("enstrophy", "kg s-2", "half the mass times the absolute vorticity squared"),
      integral_variable("angular_momentum", "kg m2 s-1", "angular momentum around the axis of the planet"),
      dry_air_mass,
      water_mass};
}

}  // namespace halcyon::spectral
