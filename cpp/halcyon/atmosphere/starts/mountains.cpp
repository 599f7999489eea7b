#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

double square(double x) {
  return x * x;
}

/// The flow of DCMIP-2012 tests 2-1 and 2-2, in the notation of the test document; p.z = sin(phi).
struct ShearFlow {
  double u_eq, T_eq, c, g, R;

  /// T = T_eq (1 - c u_eq^2/g sin^2(phi)) at all heights.
  double temperature(Vector3 p) const { return T_eq * (1 - c * square(u_eq * p.z) / g); }
  /// u_eq^2/(2 R T_eq) sin^2(phi): decrease of ln p at height 0 from the equator to latitude phi.
  double log_pressure_drop(Vector3 p) const { return square(u_eq * p.z) / (2 * R * T_eq); }
  /// p = p_eq exp(-u_eq^2/(2 R T_eq) sin^2(phi) - Phi/(R T))
  double pressure(Vector3 p, double Phi) const {
    return kSeaLevelPressure * std::exp(-log_pressure_drop(p) - Phi / (R * temperature(p)));
  }
  double height(Vector3 p, double pressure) const {
    return R * temperature(p) / g * (std::log(kSeaLevelPressure / pressure) - log_pressure_drop(p));
  }
  /// u / cos(phi), u = u_eq cos(phi) sqrt(2 T_eq/T c z + T/T_eq).
  double angular_speed(Vector3 p, double pressure) const {
    const double T = temperature(p);
    return u_eq * std::sqrt(2 * T_eq / T * c * height(p, pressure) + T / T_eq);
  }
};

/// Test 2-0 of DCMIP-2012: air at rest over z_s = h_0/2 (1 + cos(pi r/R_m)) cos^2(pi r/zeta_m) where r < R_m,
/// r [rad] from 270 E on the equator. T = T_0 - Gamma z below the tropopause, constant above. Options:
/// `temperature` T_0, `lapse_rate` Gamma, `tropopause` its pressure [Pa], `height` h_0, `radius` R_m [rad],
/// `half_wavelength` zeta_m [rad].
AirStart make_resting_mountain(const StartOptions& options, const Planet& planet, const Air& air) {
  const double T_0 = positive(options, "temperature"), Gamma = options.at("lapse_rate");
  const double tropopause = options.at("tropopause"), h_0 = options.at("height"),
               R_m = positive(options, "radius");
  const double zeta_m = positive(options, "half_wavelength");
  const double g = planet.gravity, exponent = air.gas_constant * Gamma / g;
  const auto height = [=](Vector3 p) {
    const double r = mesh::arc_length(p, {0, -1, 0});
    return r < R_m ? h_0 / 2 * (1 + std::cos(kPi * r / R_m)) * square(std::cos(kPi * r / zeta_m)) : 0.0;
  };
  AirStart start;
  start.ground_geopotential = [=](Vector3 p) { return g * height(p); };
  start.surface_pressure = [=](Vector3 p) {
    if (Gamma == 0) return kSeaLevelPressure * std::exp(-g * height(p) / (air.gas_constant * T_0));
    return kSeaLevelPressure * std::pow(1 - Gamma / T_0 * height(p), 1 / exponent);
  };
  start.temperature = [=](Vector3, double pressure) {
    return T_0 * std::pow(std::max(pressure, tropopause) / kSeaLevelPressure, exponent);
  };
  return start;
}

/// DCMIP-2012 tests 2-1 and, with `shear` c = 2.5e-4 m-1, 2-2: a balanced flow on a non-rotating planet over
/// z_s = h_0 exp(-r^2/d^2) cos^2(pi r/xi), r [m] from 45 E on the equator. Options: `speed` u_eq,
/// `temperature` T_eq, `height` h_0, `half_width` d, `wavelength` xi.
AirStart make_mountain_waves(const StartOptions& options, const Planet& planet, const Air& air) {
  require_no_rotation(planet, "mountain_waves");
  const ShearFlow flow{.u_eq = options.at("speed"),
                       .T_eq = positive(options, "temperature"),
                       .c = options.at("shear"),
                       .g = planet.gravity,
                       .R = air.gas_constant};
  const double h_0 = options.at("height"), d = positive(options, "half_width");
  const double xi = positive(options, "wavelength");
  const double a = planet.radius;
  const Vector3 centre{std::sqrt(0.5), std::sqrt(0.5), 0};
  AirStart start;
  start.ground_geopotential = [=](Vector3 p) {
    const double r = a * mesh::arc_length(p, centre);
    return flow.g * h_0 * std::exp(-square(r / d)) * square(std::cos(kPi * r / xi));
  };
  start.surface_pressure = [=, ground = start.ground_geopotential](Vector3 p) {
    return flow.pressure(p, ground(p));
  };
  start.temperature = [=](Vector3 p, double) { return flow.temperature(p); };
  start.wind = [=](Vector3 p, double pressure) {
    return flow.angular_speed(p, pressure) * cross({0, 0, 1}, p);
  };
  return start;
}

}  // namespace

AirStartEntry resting_mountain() {
  return {
      {.name = "resting_mountain",
       .text = "Air at rest over a mountain (Ullrich et al. 2012, test 2-0).",
       .references =
           "Ullrich et al. (2012, Dynamical Core Model Intercomparison Project test case document), test 2-0",
       .options = {start_type("resting_mountain", "Air at rest over a mountain."),
                   number("height", 2000.0, "Height of the mountain.", "m", 0, 8000),
                   number_above("temperature", 300.0, "Temperature at height 0.", "K", 100, 1000),
                   number("lapse_rate", 0.0065, "Lapse rate of temperature.", "K m-1", 0, 0.01),
                   number("tropopause", 0.0, "Pressure above which the air is isothermal.", "Pa", 0, 3e4)}},
      make_resting_mountain,
      /*api_only_defaults=*/{{"radius", 0.75 * kPi}, {"half_wavelength", kPi / 16}},
      nonrotating_planet(1)};
}

AirStartEntry mountain_waves() {
  return {
      {.name = "mountain_waves",
       .text = "Mountain waves on a small planet (Ullrich et al. 2012, tests 2-1 and 2-2).",
       .references = "Ullrich et al. (2012, Dynamical Core Model Intercomparison Project test case "
                     "document), tests 2-1 and 2-2",
       .options = {start_type("mountain_waves", "Mountain waves."),
                   number("speed", 20.0, "Wind speed at the equator.", "m s-1", -500, 500),
                   number_above("temperature", 300.0, "Temperature at the equator.", "K", 100, 1000),
                   number("height", 250.0, "Maximum height of the mountains.", "m", 0, 5000),
                   number_above("half_width", 5000.0, "Half-width of the mountain range.", "m", 0, 1e7),
                   number_above("wavelength", 4000.0, "Distance between ridges.", "m", 0, 1e7),
                   number("shear", 0.0, "Vertical wind shear, c_s of the test document.", "m-1", 0, 0.01)}},
      make_mountain_waves,
      /*api_only_defaults=*/{},
      nonrotating_planet(500)};
}

}  // namespace halcyon::atmosphere
