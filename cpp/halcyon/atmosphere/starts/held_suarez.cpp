#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"

namespace halcyon::atmosphere {

namespace {

/// A smooth pattern within -1 and 1 of a few waves around the globe. It is neither even nor odd across any
/// plane and has no axis, so that no symmetry of the flow outlives it. Ours.
double pattern(Vector3 p) {
  return (std::sin(3 * p.x + 1) + std::sin(4 * p.y + 2) + std::sin(5 * p.z + 3)) / 3;
}

/// Air at rest of one `temperature`, but for a `perturbation` [K] of it, the same at all levels.
AirStart make_held_suarez(const StartOptions& options, const Planet&, const Air&) {
  const double temperature = options.at("temperature"), perturbation = options.at("perturbation");
  AirStart start;
  start.surface_pressure = [](Vector3) { return kSeaLevelPressure; };
  start.temperature = [=](Vector3 p, double) { return temperature + perturbation * pattern(p); };
  return start;
}

}  // namespace

AirStartKind held_suarez() {
  return {{.name = "held_suarez",
           .text = "Air at rest, of one temperature but for a pattern: the start of a climate (Held and "
                   "Suarez 1994).",
           .references = "Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75)",
           .options = {start_type("held_suarez", "The rest."),
                       number_above("temperature", 300.0, "Everywhere.", "K", 100, 1000),
                       number("perturbation", 1.0, "Largest of the pattern.", "K", 0, 10)}},
          make_held_suarez};
}

}  // namespace halcyon::atmosphere
