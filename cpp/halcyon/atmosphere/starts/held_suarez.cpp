#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"

namespace halcyon::atmosphere {
namespace {

/// Planetary waves between -1 and 1, without any symmetry, so that the flow does not stay symmetric.
double pattern(Vector3 p) {
  return (std::sin(3 * p.x + 1) + std::sin(4 * p.y + 2) + std::sin(5 * p.z + 3)) / 3;
}

/// Air at rest, isothermal (`temperature`) except for a `perturbation` [K] that is the same at all levels.
AirStart make_held_suarez(const StartOptions& options, const Planet&, const Air&) {
  const double temperature = options.at("temperature"), perturbation = options.at("perturbation");
  AirStart start;
  start.surface_pressure = [](Vector3) { return kSeaLevelPressure; };
  start.temperature = [=](Vector3 p, double) { return temperature + perturbation * pattern(p); };
  return start;
}

}  // namespace

AirStartEntry held_suarez() {
  return {{.name = "held_suarez",
           .text = "Isothermal air at rest with a small temperature perturbation, for climate runs (Held and "
                   "Suarez 1994).",
           .references = "Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75)",
           .options = {start_type("held_suarez", "Isothermal air at rest."),
                       number_above("temperature", 300.0, "Temperature of the air.", "K", 100, 1000),
                       number("perturbation", 1.0, "Maximum of the temperature perturbation.", "K", 0, 10)}},
          make_held_suarez};
}

}  // namespace halcyon::atmosphere
