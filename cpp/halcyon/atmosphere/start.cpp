#include "halcyon/atmosphere/start.hpp"

#include <fmt/ranges.h>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

namespace {

struct Row {
  Start (*make)(const StartOptions&, const Planet&);
  StartOptions defaults;
};

constexpr double kTwelveDays = 12 * 86400.0;

const std::map<std::string, Row>& table() {
  static const double around = kTwoPi * kEarthRadius / kTwelveDays;
  static const std::map<std::string, Row> rows = {
      {"cosine_bell", {cosine_bell, {{"speed", around}, {"tilt", 0}, {"height", 1000}}}},
      {"solid_rotation", {solid_rotation, {{"speed", around}, {"tilt", 0}, {"depth", 29400 / kGravity}}}},
      {"thin_layer", {thin_layer, {{"speed", around}, {"thickness", 1}}}},
      {"mountain", {mountain, {{"speed", 20}, {"depth", 5960}, {"height", 2000}}}},
      {"rossby_haurwitz", {rossby_haurwitz, {{"wavenumber", 4}, {"rate", 7.848e-6}, {"depth", 8000}}}},
      {"barotropic_jet", {barotropic_jet, {{"speed", 80}, {"depth", 10000}, {"perturbation", 120}}}},
      {"modons", {modons, {{"speed", 40}, {"depth", 5000}, {"radius", 500e3}}}},
  };
  return rows;
}

const Row& row_of(const std::string& name) {
  const auto found = table().find(name);
  require<ConfigError>(found != table().end(), "There is no start '{}'. There are: {}.", name,
                       fmt::join(start_names(), ", "));
  return found->second;
}

}  // namespace

std::vector<std::string> start_names() {
  std::vector<std::string> names;
  for (const auto& [name, row] : table()) names.push_back(name);
  return names;
}

StartOptions start_options(const std::string& name) {
  return row_of(name).defaults;
}

Start make_start(const std::string& name, const StartOptions& options, const Planet& planet) {
  const auto& row = row_of(name);
  StartOptions all = row.defaults;
  for (const auto& [option, value] : options) {
    const auto known = all.find(option);
    require<ConfigError>(known != all.end(), "The start '{}' has no option '{}'.", name, option);
    known->second = value;
  }
  return row.make(all, planet);
}

}  // namespace halcyon::atmosphere
