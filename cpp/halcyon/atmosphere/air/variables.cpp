#include "halcyon/atmosphere/shallow_water/variables.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/atmosphere/air/product.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

using fields::Variable;

namespace {

AirProduct on_levels(AirQuantity product, const char* name, const char* units, const char* standard_name,
                     const char* long_name) {
  return {
      product, true, {name, {"cell", "level"}, units, standard_name, long_name, "time: point", false, true}};
}

Variable state(const char* name, std::vector<std::string> dimensions, const char* units,
               const char* long_name) {
  return {name, std::move(dimensions), units, "", long_name, "", true, false};
}

Variable whole(const char* name, const char* units, const char* long_name) {
  return {name, {}, units, "", long_name, "area: sum time: point", false, false};
}

}  // namespace

const std::vector<AirProduct>& air_products() {
  using enum AirQuantity;
  static const std::vector<AirProduct> rows = {
      {surface_pressure,
       false,
       {"surface_pressure",
        {"cell"},
        "Pa",
        "surface_air_pressure",
        "pressure at the ground",
        "time: point",
        true,
        true}},
      on_levels(pressure, "pressure", "Pa", "air_pressure", "pressure"),
      on_levels(temperature, "temperature", "K", "air_temperature", "temperature"),
      on_levels(potential_temperature, "potential_temperature", "K", "air_potential_temperature",
                "potential temperature"),
      on_levels(geopotential_height, "geopotential_height", "m", "geopotential_height",
                "geopotential height"),
      on_levels(eastward_wind, "eastward_wind", "m s-1", "eastward_wind", "eastward wind"),
      on_levels(northward_wind, "northward_wind", "m s-1", "northward_wind", "northward wind"),
      on_levels(upward_wind, "upward_wind", "m s-1", "upward_air_velocity", "upward wind"),
      on_levels(pressure_velocity, "pressure_velocity", "Pa s-1", "lagrangian_tendency_of_air_pressure",
                "change of the pressure of air on its way"),
      on_levels(vorticity, "vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"),
      on_levels(divergence, "divergence", "s-1", "divergence_of_wind", "divergence of the wind"),
      on_levels(kinetic_energy, "kinetic_energy", "m2 s-2", "specific_kinetic_energy_of_air",
                "kinetic energy of a unit of mass"),
  };
  return rows;
}

const AirProduct& air_product(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : air_products()) {
    if (row.variable.name == name) return row;
    names.push_back(row.variable.name);
  }
  throw ConfigError(
      fmt::format("There is no product '{}' of the air. There are: {}.", name, fmt::join(names, ", ")));
}

namespace {

Variable tracer(const std::string& name, const std::string& long_name) {
  return {name, {"cell", "level"}, "1", "", long_name, "time: point", true, true};
}

std::vector<Variable> tracers() {
  return {tracer(kTracerOfStart, "mixing ratio of the tracer of the start"),
          tracer(kConstantTracer, "mixing ratio of a tracer that is everywhere the same")};
}

std::vector<Variable> make_table() {
  std::vector<Variable> table;
  for (const auto& row : air_products()) {
    table.push_back(row.variable);
    if (row.product == AirQuantity::potential_temperature) table.back().restart = true;
  }
  table.push_back(state("ground_geopotential", {"cell"}, "m2 s-2", "geopotential of the ground"));
  table.push_back(state("normal_wind", {"edge", "level"}, "m s-1",
                        "wind across the edges, from their first cell to their second"));
  table.push_back(
      state("upward_wind_at_interfaces", {"cell", "interface"}, "m s-1", "upward wind between levels"));
  table.push_back(
      state("geopotential_at_interfaces", {"cell", "interface"}, "m2 s-2", "geopotential between levels"));
  for (auto& row : tracers()) table.push_back(row);
  table.push_back({"topography", {"cell"}, "m", "surface_altitude", "height of the ground", "", false, true});
  return table;
}

}  // namespace

const std::vector<Variable>& air_variables() {
  static const std::vector<Variable> table = make_table();
  return table;
}

bool is_tracer(const std::string& name) {
  return std::ranges::any_of(tracers(), [&](const auto& row) { return row.name == name; });
}

Variable tracer_variable(const std::string& name) {
  for (auto& row : tracers())
    if (row.name == name) return row;
  auto row = tracer(name, "mixing ratio of " + name);
  if (name == "specific_humidity" || name.starts_with("mass_fraction_of_")) row.standard_name = name;
  return row;
}

Variable tracer_mass(const std::string& name) {
  return whole((name + "_mass").c_str(), "kg", ("mass of " + name).c_str());
}

const std::vector<Variable>& air_integral_variables() {
  static const std::vector<Variable> table = {
      whole("mass", "kg", "mass of the air"),
      whole("energy", "J",
            "kinetic, internal and potential energy, and the work against the pressure of the top"),
      whole("potential_enstrophy", "m2 kg-1 s-2", "half the mass times the potential vorticity squared"),
      whole("angular_momentum", "kg m2 s-1", "angular momentum around the axis of the planet"),
  };
  return table;
}

}  // namespace halcyon::atmosphere
