#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr double kSouth = kPi / 7, kNorth = kPi / 2 - kPi / 7;  // latitudes of the edges of the jet
constexpr int kIntervals = 256;                                 // of the quadrature

/// Integral of a function by three-point Gauss-Legendre quadrature in equal intervals.
template <class Function>
double integral(double begin, double end, const Function& function) {
  const double width = (end - begin) / kIntervals, node = std::sqrt(0.6) * width / 2;
  double sum = 0;
  for (int i = 0; i < kIntervals; ++i) {
    const double middle = begin + (i + 0.5) * width;
    sum += 8 * function(middle) + 5 * (function(middle - node) + function(middle + node));
  }
  return sum * width / 18;
}

/// The jet and the height in balance with it (Galewsky et al. 2004, equations 2 and 3).
struct Jet {
  double speed;
  Planet planet;

  double wind(double phi) const {
    if (phi <= kSouth || phi >= kNorth) return 0;
    const double maximum = std::exp(-4 / ((kNorth - kSouth) * (kNorth - kSouth)));
    return speed / maximum * std::exp(1 / ((phi - kSouth) * (phi - kNorth)));
  }
  /// Height of the surface at the south pole minus height at phi [m].
  double drop(double phi) const {
    const auto slope = [&](double latitude) {
      const double u = wind(latitude);
      return u * (2 * planet.radius * planet.rotation * std::sin(latitude) + std::tan(latitude) * u) /
             planet.gravity;
    };
    return phi <= kSouth ? 0 : integral(kSouth, std::min(phi, kNorth), slope);
  }
  /// Mean of `drop` over the sphere [m].
  double mean_drop() const {
    const auto weighted = [&](double phi) { return drop(phi) * std::cos(phi) / 2; };
    return integral(kSouth, kNorth, weighted) + drop(kNorth) * (1 - std::sin(kNorth)) / 2;
  }
};

/// Options: `depth`, the mean depth; `perturbation`, the amplitude h_p of
/// h' = h_p cos(phi) exp(-(3 lambda)^2) exp(-(15 (pi/4 - phi))^2), equation 4.
Start make_barotropic_jet(const StartOptions& options, const Planet& planet) {
  const Jet jet{options.at("speed"), planet};
  const double polar_height = options.at("depth") + jet.mean_drop(), amplitude = options.at("perturbation");
  Start start;
  start.wind = [=](Vector3 p) {
    const double phi = mesh::latitude(p);
    return (jet.wind(phi) / std::cos(phi)) * cross({0, 0, 1}, p);
  };
  start.surface = [=](Vector3 p) {
    const double phi = mesh::latitude(p), lambda = std::remainder(mesh::longitude(p), kTwoPi);
    const double east = 3 * lambda, north = 15 * (kPi / 4 - phi);
    return polar_height - jet.drop(phi) + amplitude * std::cos(phi) * std::exp(-east * east - north * north);
  };
  return start;
}

/// Two wind anomalies u = +-speed exp(-(r/radius)^2), eastward at 90 E and westward at 270 E, on the equator
/// in a fluid of constant depth: each becomes a vortex pair, and the pairs collide at 180 E. For a
/// non-rotating planet.
Start make_modons(const StartOptions& options, const Planet& planet) {
  const double speed = options.at("speed"), depth = options.at("depth");
  const double sharpness = planet.radius / options.at("radius");
  const auto anomaly = [=](Vector3 p, Vector3 centre) {
    const double r = sharpness * mesh::arc_length(p, centre);
    return speed * std::exp(-r * r);
  };
  Start start;
  start.wind = [=](Vector3 p) {
    return (anomaly(p, {0, 1, 0}) - anomaly(p, {0, -1, 0})) * cross({0, 0, 1}, p);
  };
  start.surface = [=](Vector3) { return depth; };
  return start;
}

}  // namespace

ShallowWaterStartEntry barotropic_jet() {
  return {{.name = "barotropic_jet",
           .text = "Barotropically unstable jet (Galewsky et al. 2004).",
           .references = "Galewsky et al. (2004, Tellus A 56)",
           .options = {start_type("barotropic_jet", "Barotropic jet."),
                       number_above("speed", 80.0, "Maximum wind speed.", "m s-1", 0, 500),
                       number_above("depth", 10000.0, "Mean depth of the fluid.", "m", 0, 1e5),
                       number("perturbation", 120.0, "Amplitude of the height perturbation; 0: balanced jet.",
                              "m", -5000, 5000)}},
          make_barotropic_jet};
}

ShallowWaterStartEntry modons() {
  return {{.name = "modons",
           .text = "Two colliding vortex pairs (after Lin et al. 2017). Use it with equations.rotation: 0.",
           .references = "Lin et al. (2017, J. Adv. Model. Earth Syst. 9)",
           .options = {start_type("modons", "Colliding modons."),
                       number_above("speed", 40.0, "Maximum wind speed.", "m s-1", 0, 500),
                       number_above("depth", 5000.0, "Depth of the fluid.", "m", 0, 1e5),
                       number_above("radius", 500e3, "Radius of each wind anomaly.", "m", 1000, 1e7)}},
          make_modons};
}

}  // namespace halcyon::atmosphere
