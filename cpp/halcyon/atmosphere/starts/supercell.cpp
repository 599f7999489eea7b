#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr double kSurfaceTheta = 300, kTropopauseTheta = 343, kTropopauseTemperature = 213;  // [K]
constexpr double kTropopause = 12000;                                                        // z_tr [m]
constexpr double kMostVapour = 0.014;                      // largest saturation mixing ratio
constexpr double kShearTop = 5000, kTransition = 1000;     // z_s, Delta z_u [m]
constexpr double kCentreHeight = 1500, kHalfDepth = 1500;  // z_c, z_p of the warm bubble [m]
constexpr double kStep = 10, kTop = 100000;                // table of the profile at the equator [m]

/// The profile at the equator (Klemp et al. 2015; DCMIP2016 document, section 4): theta and relative humidity
/// are given, and dPi/dz = -g/(c_p theta_v) is integrated upwards by Runge-Kutta steps, with the vapour q_v =
/// H q_vs(p, T) of each Pi.
class Profile {
 public:
  Profile(double gravity, const Air& air) : g_(gravity), air_(air), exner_{1} {
    for (double z = 0; z < kTop; z += kStep) {
      const double e = exner_.back(), k_1 = slope(z, e), k_2 = slope(z + kStep / 2, e + kStep / 2 * k_1),
                   k_3 = slope(z + kStep / 2, e + kStep / 2 * k_2), k_4 = slope(z + kStep, e + kStep * k_3);
      exner_.push_back(e + kStep / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4));
    }
  }
  /// Pi, and the height of Pi: cubic interpolation in the table.
  double exner(double z) const {
    const auto i =
        static_cast<std::size_t>(std::clamp(z / kStep, 0.0, static_cast<double>(exner_.size() - 2)));
    const double s = z / kStep - static_cast<double>(i), from = exner_[i], to = exner_[i + 1],
                 from_slope = kStep * slope(kStep * static_cast<double>(i), from),
                 to_slope = kStep * slope(kStep * static_cast<double>(i + 1), to);
    return from + s * (from_slope + s * (3 * (to - from) - 2 * from_slope - to_slope +
                                         s * (from_slope + to_slope - 2 * (to - from))));
  }
  double height(double pi) const {
    const auto above = std::ranges::lower_bound(exner_, pi, std::greater<>());
    double z = kStep * (static_cast<double>(above - exner_.begin()) - 1);
    for (int i = 0; i < 4; ++i) z += (pi - exner(z)) / slope(z, exner(z));
    return z;
  }
  double theta(double z) const {
    return z < kTropopause ? kSurfaceTheta + (kTropopauseTheta - kSurfaceTheta) *
                                                 std::pow(std::max(z, 0.0) / kTropopause, 1.25)
                           : kTropopauseTheta * std::exp(g_ * (z - kTropopause) /
                                                         (air_.heat_capacity * kTropopauseTemperature));
  }
  /// Mixing ratio to dry air.
  double vapour(double z, double pi) const {
    const double p = air_.reference_pressure * std::pow(pi, 1 / air_.kappa()), T = theta(z) * pi;
    const double humidity = 1 - 0.75 * std::pow(std::clamp(z / kTropopause, 0.0, 1.0), 1.25);
    return humidity * std::min(380 / p * std::exp(17.27 * (T - 273) / (T - 36)), kMostVapour);
  }
  /// theta_v / theta = (1 + (R_v/R) q_v) / (1 + q_v)
  double virtual_factor(double vapour) const {
    return (1 + air_.vapour_gas_constant / air_.gas_constant * vapour) / (1 + vapour);
  }
  double virtual_theta(double z, double pi) const { return theta(z) * virtual_factor(vapour(z, pi)); }

 private:
  double slope(double z, double pi) const { return -g_ / (air_.heat_capacity * virtual_theta(z, pi)); }

  double g_;
  Air air_;
  std::vector<double> exner_;  ///< at multiples of kStep
};

/// The balanced flow u = u_eq(z) cos(phi). With mu = sin^2(phi)/(2 g) and w = u_eq^2, hydrostatic and
/// gradient wind balance are dPi/dmu = w dPi/dz and dtheta_v/dmu = w dtheta_v/dz - theta_v dw/dz: Pi is
/// constant along dz/dmu = -w, from the height Z at the equator to z at phi, and theta_v = theta_v(Z) dz/dZ.
struct ShearFlow {
  Profile profile;
  double speed, offset, g;  ///< U_s, U_c

  /// u_eq and its slope.
  std::pair<double, double> wind(double z) const {
    const double s = z / kShearTop;
    if (z < kShearTop - kTransition) return {speed * s - offset, speed / kShearTop};
    if (z > kShearTop + kTransition) return {speed - offset, 0};
    return {(-0.8 + 3 * s - 1.25 * s * s) * speed - offset, (3 - 2.5 * s) * speed / kShearTop};
  }
  /// The height z at sin(phi), and dz/dZ, of a height Z at the equator; `sign` -1 for the way back.
  std::pair<double, double> moved(double sine, double height, double sign = 1) const {
    constexpr int kSteps = 4;
    const double step = -sign * sine * sine / (2 * g) / kSteps;
    const auto w = [&](double z) { return std::pow(wind(z).first, 2); };
    double z = height, stretched = 0;  // ln(dz/dZ)
    for (int i = 0; i < kSteps; ++i) {
      const double k_1 = w(z), k_2 = w(z + step / 2 * k_1), k_3 = w(z + step / 2 * k_2),
                   k_4 = w(z + step * k_3);
      const double middle = z + step / 2 * k_2, next = z + step / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4);
      const auto w_slope = [&](double at) { return 2 * wind(at).first * wind(at).second; };
      stretched += step / 6 * (w_slope(z) + 4 * w_slope(middle) + w_slope(next));
      z = next;
    }
    return {z, std::exp(stretched)};
  }
};

/// Options: `speed` U_s, `offset` U_c, `perturbation` Delta_theta, `half_width` r_p on the planet.
AirStart make_supercell(const StartOptions& options, const Planet& planet, const Air& air) {
  require_no_rotation(planet, "supercell");
  const auto flow = std::make_shared<const ShearFlow>(ShearFlow{.profile = Profile(planet.gravity, air),
                                                                .speed = options.at("speed"),
                                                                .offset = options.at("offset"),
                                                                .g = planet.gravity});
  const double Delta_theta = options.at("perturbation"), r_p = positive(options, "half_width"),
               a = planet.radius;
  const auto exner = [=](double pressure) {
    return std::pow(pressure / air.reference_pressure, air.kappa());
  };
  AirStart start;
  start.surface_pressure = [=](Vector3 p) {
    const double pi = flow->profile.exner(flow->moved(p.z, 0, -1).first);
    return air.reference_pressure * std::pow(pi, 1 / air.kappa());
  };
  const auto vapour = [=](double z) { return flow->profile.vapour(z, flow->profile.exner(z)); };
  start.temperature = [=](Vector3 p, double pressure) {
    const double pi = exner(pressure), Z = flow->profile.height(pi);
    const auto [z, stretch] = flow->moved(p.z, Z);
    const double r = a * mesh::arc_length(p, {1, 0, 0}) / r_p, height = (z - kCentreHeight) / kHalfDepth,
                 distance = std::hypot(r, height);
    const double bubble = distance < 1 ? Delta_theta * std::pow(std::cos(kPi / 2 * distance), 2) : 0;
    const double theta_v = flow->profile.virtual_theta(Z, pi) * stretch;
    return (theta_v / flow->profile.virtual_factor(vapour(z)) + bubble) * pi;
  };
  start.wind = [=](Vector3 p, double pressure) {
    const double z = flow->moved(p.z, flow->profile.height(exner(pressure))).first;
    return flow->wind(z).first * cross({0, 0, 1}, p);
  };
  start.specific_humidity = [=](Vector3 p, double pressure) {
    const double q = vapour(flow->moved(p.z, flow->profile.height(exner(pressure))).first);
    return q / (1 + q);
  };
  return start;
}

}  // namespace

AirStartEntry supercell() {
  return {
      {.name = "supercell",
       .text = "Sheared moist air with a warm bubble, which grows into a supercell that splits, on a small "
               "planet "
               "without rotation (Klemp et al. 2015).",
       .references =
           "Klemp et al. (2015, J. Adv. Model. Earth Syst. 7); Ullrich et al. (2016, DCMIP2016 test case "
           "document), test 1-3",
       .options = {start_type("supercell", "Supercell."),
                   number("speed", 30.0, "Increase of the wind from the surface upwards.", "m s-1", 0, 200),
                   number("offset", 15.0, "Easterly wind at the surface.", "m s-1", -200, 200),
                   number("perturbation", 3.0, "Largest difference of potential temperature of the bubble.",
                          "K", -100, 100),
                   number_above("half_width", 10000.0, "Radius of the bubble.", "m", 0, 1e7)}},
      make_supercell,
      /*api_only_defaults=*/{},
      nonrotating_planet(120)};
}

}  // namespace halcyon::atmosphere
