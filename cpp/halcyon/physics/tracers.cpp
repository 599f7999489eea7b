#include "halcyon/physics/tracers.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"

namespace halcyon::physics {
namespace {

fields::Variable named_tracer(const std::string& name, const char* item, const std::string& long_name,
                              const char* standard_name = "") {
  return fields::output_variable(name, {item, "level"}, "1", standard_name, long_name, /*restart=*/true);
}

}  // namespace

std::vector<fields::Variable> table_tracers(const char* item) {
  return {named_tracer(kWaterTracers[0], item, "mass of water vapour over that of the dry air",
                       "humidity_mixing_ratio"),
          named_tracer(kWaterTracers[1], item, "mass of cloud water over that of the dry air",
                       "cloud_liquid_water_mixing_ratio"),
          named_tracer(kWaterTracers[2], item, "mass of rain water over that of the dry air"),
          named_tracer(kInitialTracer, item, "mixing ratio of the tracer of the initial state"),
          named_tracer(kConstantTracer, item, "mixing ratio of a tracer that is everywhere the same")};
}

bool is_table_tracer(const std::string& name) {
  return std::ranges::any_of(table_tracers(""), [&](const auto& row) { return row.name == name; });
}

fields::Variable tracer_variable(const std::string& name, const char* item) {
  for (auto& row : table_tracers(item))
    if (row.name == name) return row;
  auto row = named_tracer(name, item, "mixing ratio of " + name);
  if (name == "specific_humidity" || name.starts_with("mass_fraction_of_")) row.standard_name = name;
  return row;
}

std::vector<std::string> all_tracers(std::vector<std::string> names, bool is_moist) {
  if (is_moist) names.insert(names.begin(), kWaterTracers.begin(), kWaterTracers.end());
  for (auto name = names.begin(); name != names.end(); ++name)
    require<ConfigError>(std::find(names.begin(), name, *name) == name,
                         "The tracer '{}' is there twice. Give each tracer once, and no tracer of water in "
                         "moist air, which has these.",
                         *name);
  return names;
}

fields::Variable tracer_mass_variable(const std::string& name) {
  return fields::integral_variable(name + "_mass", "kg", "mass of " + name);
}

std::array<fields::Variable, 3> humidity_variables(const char* item) {
  return {fields::output_variable("virtual_temperature", {item, "level"}, "K", "virtual_temperature",
                                  "temperature of dry air with the density of the air and its water"),
          fields::output_variable("relative_humidity", {item, "level"}, "1", "relative_humidity",
                                  "relative humidity over liquid water"),
          fields::output_variable("atmosphere_mass_content_of_water_vapor", {item}, "kg m-2",
                                  "atmosphere_mass_content_of_water_vapor",
                                  "mass of water vapour in the column")};
}

std::array<fields::Variable, 2> water_integral_variables() {
  return {fields::integral_variable("dry_air_mass", "kg", "mass of the dry air"),
          fields::integral_variable("water_mass", "kg", "mass of vapour, cloud water and rain water")};
}

bool needs_water(const std::string& name) {
  const auto is_named = [&](const fields::Variable& row) { return row.name == name; };
  return std::ranges::count(kWaterTracers, name) > 0 ||
         std::ranges::any_of(humidity_variables(""), is_named) ||
         std::ranges::any_of(water_integral_variables(), is_named);
}

double relative_humidity(double pressure, double temperature, double vapour, double ratio) {
  const double saturation = 611.2 * std::exp(17.67 * (temperature - 273.15) / (temperature - 29.65));
  return pressure * vapour / (ratio + vapour) / saturation;
}

}  // namespace halcyon::physics
