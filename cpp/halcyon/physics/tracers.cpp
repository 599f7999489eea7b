#include "halcyon/physics/tracers.hpp"

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

fields::Variable tracer_variable(const std::string& name, const char* item) {
  for (auto& row : table_tracers(item))
    if (row.name == name) return row;
  auto row = named_tracer(name, item, "mixing ratio of " + name);
  if (name == "specific_humidity" || name.starts_with("mass_fraction_of_")) row.standard_name = name;
  return row;
}

fields::Variable tracer_mass_variable(const std::string& name) {
  return fields::integral_variable(name + "_mass", "kg", "mass of " + name);
}

}  // namespace halcyon::physics
