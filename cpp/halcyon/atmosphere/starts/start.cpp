#include "halcyon/atmosphere/starts/start.hpp"

namespace halcyon::atmosphere {

namespace {

struct Row {
  Start (*make)(const StartOptions&, const Planet&);
  StartOptions defaults;
};

constexpr double kTwelveDays = 12 * 86400.0;

const StartTable<Row>& table() {
  static const double around = kTwoPi * kEarthRadius / kTwelveDays;
  static const StartTable<Row> starts({
      {"cosine_bell", {cosine_bell, {{"speed", around}, {"tilt", 0}, {"height", 1000}}}},
      {"solid_rotation", {solid_rotation, {{"speed", around}, {"tilt", 0}, {"depth", 29400 / kGravity}}}},
      {"thin_layer", {thin_layer, {{"speed", around}, {"thickness", 1}}}},
      {"mountain", {mountain, {{"speed", 20}, {"depth", 5960}, {"height", 2000}}}},
      {"rossby_haurwitz", {rossby_haurwitz, {{"wavenumber", 4}, {"rate", 7.848e-6}, {"depth", 8000}}}},
      {"barotropic_jet", {barotropic_jet, {{"speed", 80}, {"depth", 10000}, {"perturbation", 120}}}},
      {"modons", {modons, {{"speed", 40}, {"depth", 5000}, {"radius", 500e3}}}},
  });
  return starts;
}

}  // namespace

std::vector<std::string> start_names() {
  return table().names();
}

StartOptions start_options(const std::string& name) {
  return table().row(name).defaults;
}

Start make_start(const std::string& name, const StartOptions& options, const Planet& planet) {
  return table().make(name, options, planet);
}

}  // namespace halcyon::atmosphere
