#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {

namespace {

constexpr double kSouth = kPi / 7, kNorth = kPi / 2 - kPi / 7;  // sides of the jet
constexpr int kParts = 256;

/// The integral of a function by Gauss and Legendre's rule of three points in equal parts.
template <class Function>
double integral(double from, double to, const Function& function) {
  const double part = (to - from) / kParts, beside = std::sqrt(0.6) * part / 2;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) {
    const double middle = from + (i + 0.5) * part;
    sum += 8 * function(middle) + 5 * (function(middle - beside) + function(middle + beside));
  }
  return sum * part / 18;
}

/// The jet and the height that balances it (Galewsky et al. 2004, equations 2 and 3).
struct Jet {
  double speed;
  Planet planet;

  double wind(double phi) const {
    if (phi <= kSouth || phi >= kNorth) return 0;
    const double most = std::exp(-4 / ((kNorth - kSouth) * (kNorth - kSouth)));
    return speed / most * std::exp(1 / ((phi - kSouth) * (phi - kNorth)));
  }
  /// How far the surface lies below that at the south pole [m].
  double drop(double phi) const {
    const auto slope = [&](double at) {
      const double u = wind(at);
      return u * (2 * planet.radius * planet.rotation * std::sin(at) + std::tan(at) * u) / planet.gravity;
    };
    return phi <= kSouth ? 0 : integral(kSouth, std::min(phi, kNorth), slope);
  }
  double mean_drop() const {
    const auto share = [&](double phi) { return drop(phi) * std::cos(phi) / 2; };
    return integral(kSouth, kNorth, share) + drop(kNorth) * (1 - std::sin(kNorth)) / 2;
  }
};

/// `depth` is the mean; `perturbation` the height of the bump h' = p cos(phi) exp(-(3 lambda)^2)
/// exp(-(15 (pi/4 - phi))^2), equation 4.
Start make_barotropic_jet(const StartOptions& options, const Planet& planet) {
  const Jet jet{options.at("speed"), planet};
  const double top = options.at("depth") + jet.mean_drop(), bump = options.at("perturbation");
  Start start;
  start.wind = [=](Vector3 p) {
    const double phi = mesh::latitude(p);
    return (jet.wind(phi) / std::cos(phi)) * cross({0, 0, 1}, p);
  };
  start.surface = [=](Vector3 p) {
    const double phi = mesh::latitude(p), lambda = std::remainder(mesh::longitude(p), kTwoPi);
    const double along = 3 * lambda, across = 15 * (kPi / 4 - phi);
    return top - jet.drop(phi) + bump * std::cos(phi) * std::exp(-along * along - across * across);
  };
  return start;
}

/// Gusts u = +-speed exp(-(r/radius)^2) to the east from 90 E and to the west from 270 E, on the equator of a
/// flat surface: each becomes a pair of vortices, and the pairs meet at 180 E. Meant for rotation 0.
Start make_modons(const StartOptions& options, const Planet& planet) {
  const double speed = options.at("speed"), depth = options.at("depth");
  const double sharpness = planet.radius / options.at("radius");
  const auto gust = [=](Vector3 p, Vector3 centre) {
    const double r = sharpness * mesh::arc_length(p, centre);
    return speed * std::exp(-r * r);
  };
  Start start;
  start.wind = [=](Vector3 p) { return (gust(p, {0, 1, 0}) - gust(p, {0, -1, 0})) * cross({0, 0, 1}, p); };
  start.surface = [=](Vector3) { return depth; };
  return start;
}

}  // namespace

ShallowWaterStartKind barotropic_jet() {
  return {{.name = "barotropic_jet",
           .text = "A jet in balance that breaks up into vortices (Galewsky et al. 2004).",
           .references = "Galewsky et al. (2004, Tellus A 56)",
           .options = {start_type("barotropic_jet", "The jet."),
                       number_above("speed", 80.0, "Largest wind.", "m s-1", 0, 500),
                       number_above("depth", 10000.0, "Mean.", "m", 0, 1e5),
                       number("perturbation", 120.0, "Height of the bump; 0: none.", "m", -5000, 5000)}},
          make_barotropic_jet};
}

ShallowWaterStartKind modons() {
  return {{.name = "modons",
           .text = "Two gusts on a flat surface, of which each becomes a pair of vortices; the pairs meet "
                   "(after Lin et al. 2017). Goes with equations.rotation: 0.",
           .references = "Lin et al. (2017, J. Adv. Model. Earth Syst. 9)",
           .options = {start_type("modons", "The gusts."),
                       number_above("speed", 40.0, "Largest wind.", "m s-1", 0, 500),
                       number_above("depth", 5000.0, "Everywhere.", "m", 0, 1e5),
                       number_above("radius", 500e3, "Of a gust.", "m", 1000, 1e7)}},
          make_modons};
}

}  // namespace halcyon::atmosphere
