#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

/// Balanced flow of DCMIP-2012 test 3-1: uniform buoyancy frequency; the document's notation; p.z = sin(phi).
struct StratifiedFlow {
  double u_0, N2, T_eq, a, Omega, g, R, c_p;

  double G() const { return g * g / (N2 * c_p); }
  /// u_0 (u_0 + 2 Omega a) (cos(2 phi) - 1)
  double meridional_term(Vector3 p) const { return u_0 * (u_0 + 2 * Omega * a) * -2 * p.z * p.z; }
  /// T_s = G + (T_eq - G) exp(-u_0 N^2/(4 g^2) (u_0 + 2 Omega a) (cos(2 phi) - 1))
  double surface_temperature(Vector3 p) const {
    return G() + (T_eq - G()) * std::exp(-N2 / (4 * g * g) * meridional_term(p));
  }
  /// p_s = p_eq exp(u_0/(4 G R) (u_0 + 2 Omega a) (cos(2 phi) - 1)) (T_s/T_eq)^(c_p/R)
  double surface_pressure(Vector3 p) const {
    return kSeaLevelPressure * std::exp(meridional_term(p) / (4 * G() * R)) *
           std::pow(surface_temperature(p) / T_eq, c_p / R);
  }
  /// (p/p_s)^kappa
  double pi_ratio(Vector3 p, double pressure) const {
    return std::pow(pressure / surface_pressure(p), R / c_p);
  }
  /// exp(-N^2 z/g) = 1 + T_s/G ((p/p_s)^kappa - 1)
  double decay(Vector3 p, double pressure) const {
    return 1 + surface_temperature(p) / G() * (pi_ratio(p, pressure) - 1);
  }
  double height(Vector3 p, double pressure) const { return -g / N2 * std::log(decay(p, pressure)); }
  /// T_b = G (1 - exp(N^2 z/g)) + T_s exp(N^2 z/g), with z eliminated.
  double temperature(Vector3 p, double pressure) const {
    return surface_temperature(p) * pi_ratio(p, pressure) / decay(p, pressure);
  }
};

/// Test 3-1 of DCMIP-2012: u = u_0 cos(phi) with theta' = Delta_theta d^2/(d^2 + r^2) sin(2 pi z/L_z), r [m]
/// from 120 E on the equator, added to theta at constant pressure. Options: `speed` u_0, `temperature` T_eq,
/// `buoyancy_frequency_squared` N^2, `perturbation` Delta_theta, `half_width` d, `wavelength` L_z.
AirStart make_gravity_wave(const StartOptions& options, const Planet& planet, const Air& air) {
  const StratifiedFlow flow{.u_0 = options.at("speed"),
                            .N2 = positive(options, "buoyancy_frequency_squared"),
                            .T_eq = positive(options, "temperature"),
                            .a = planet.radius,
                            .Omega = planet.rotation,
                            .g = planet.gravity,
                            .R = air.gas_constant,
                            .c_p = air.heat_capacity};
  const double Delta_theta = options.at("perturbation"), d = positive(options, "half_width");
  const double L_z = positive(options, "wavelength");
  const Vector3 centre{-0.5, std::sqrt(0.75), 0};
  AirStart start;
  start.surface_pressure = [=](Vector3 p) { return flow.surface_pressure(p); };
  start.temperature = [=](Vector3 p, double pressure) {
    const double r = flow.a * mesh::arc_length(p, centre) / d;
    const double theta_prime = Delta_theta / (1 + r * r) * std::sin(kTwoPi * flow.height(p, pressure) / L_z);
    return flow.temperature(p, pressure) +
           theta_prime * std::pow(pressure / air.reference_pressure, air.kappa());
  };
  start.wind = [=](Vector3 p, double) { return flow.u_0 * cross({0, 0, 1}, p); };
  return start;
}

}  // namespace

AirStartEntry gravity_wave() {
  return {
      {.name = "gravity_wave",
       .text = "Gravity wave on a small planet (Ullrich et al. 2012, test 3-1).",
       .references =
           "Ullrich et al. (2012, Dynamical Core Model Intercomparison Project test case document), test 3-1",
       .options = {start_type("gravity_wave", "Gravity wave."),
                   number("speed", 20.0, "Wind speed at the equator.", "m s-1", -500, 500),
                   number_above("temperature", 300.0, "Surface temperature at the equator.", "K", 100, 1000),
                   number_above("buoyancy_frequency_squared", 0.0001, "Buoyancy frequency squared, N^2.",
                                "s-2", 0, 0.01),
                   number("perturbation", 1.0, "Amplitude of the perturbation of potential temperature.", "K",
                          -100, 100),
                   number_above("half_width", 5000.0, "Half-width of the perturbation.", "m", 0, 1e7),
                   number_above("wavelength", 20000.0, "Vertical wavelength of the perturbation.", "m", 0,
                                1e6)}},
      make_gravity_wave,
      /*api_only_defaults=*/{},
      nonrotating_planet(125)};
}

}  // namespace halcyon::atmosphere
