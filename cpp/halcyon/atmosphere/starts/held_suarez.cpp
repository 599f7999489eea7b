#include <cmath>

#include "halcyon/atmosphere/starts/air_start.hpp"

namespace halcyon::atmosphere {

namespace {

/// A smooth pattern within -1 and 1 of a few waves around the globe. It is neither even nor odd across any
/// plane and has no axis, so that no symmetry of the flow outlives it. Ours.
double pattern(Vector3 p) {
  return (std::sin(3 * p.x + 1) + std::sin(4 * p.y + 2) + std::sin(5 * p.z + 3)) / 3;
}

}  // namespace

/// Air at rest of one `temperature`, but for a `perturbation` [K] of it, the same at all levels.
AirStart held_suarez(const StartOptions& options, const Planet&, const Air&) {
  const double temperature = options.at("temperature"), perturbation = options.at("perturbation");
  AirStart start;
  start.surface_pressure = [](Vector3) { return kSeaLevelPressure; };
  start.temperature = [=](Vector3 p, double) { return temperature + perturbation * pattern(p); };
  return start;
}

}  // namespace halcyon::atmosphere
