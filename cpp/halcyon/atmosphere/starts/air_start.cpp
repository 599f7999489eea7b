#include "halcyon/atmosphere/starts/air_start.hpp"

namespace halcyon::atmosphere {

namespace {

struct Row {
  AirStart (*make)(const StartOptions&, const Planet&, const Air&);
  StartOptions defaults;
  Planet planet;
};

/// A planet that does not turn, smaller than the Earth by a factor.
Planet still(double factor) {
  return {.radius = kEarthRadius / factor, .rotation = 0};
}

const StartTable<Row>& table() {
  static const StartTable<Row> starts({
      {"baroclinic_wave",
       {baroclinic_wave,
        {{"speed", 35},
         {"jet_level", 0.252},
         {"temperature", 288},
         {"lapse_rate", 0.005},
         {"warming", 4.8e5},
         {"tropopause", 0.2},
         {"perturbation", 1}},
        Planet{}}},
      {"resting_mountain",
       {resting_mountain,
        {{"temperature", 300},
         {"lapse_rate", 0.0065},
         {"height", 2000},
         {"radius", 0.75 * kPi},
         {"half_wavelength", kPi / 16}},
        still(1)}},
      {"mountain_waves",
       {mountain_waves,
        {{"speed", 20},
         {"temperature", 300},
         {"shear", 0},
         {"height", 250},
         {"half_width", 5000},
         {"wavelength", 4000}},
        still(500)}},
      {"gravity_wave",
       {gravity_wave,
        {{"speed", 20},
         {"temperature", 300},
         {"buoyancy_frequency_squared", 1e-4},
         {"perturbation", 1},
         {"half_width", 5000},
         {"wavelength", 20000}},
        still(125)}},
      {"held_suarez", {held_suarez, {{"temperature", 300}, {"perturbation", 1}}, Planet{}}},
  });
  return starts;
}

}  // namespace

std::vector<std::string> air_start_names() {
  return table().names();
}

StartOptions air_start_options(const std::string& name) {
  return table().row(name).defaults;
}

Planet air_start_planet(const std::string& name) {
  return table().row(name).planet;
}

AirStart make_air_start(const std::string& name, const StartOptions& options, const Planet& planet,
                        const Air& air) {
  return table().make(name, options, planet, air);
}

}  // namespace halcyon::atmosphere
