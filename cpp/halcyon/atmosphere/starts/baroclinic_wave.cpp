#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr double kWaveLongitude = kPi / 9, kWaveLatitude = kTwoPi / 9;  // centre of the perturbation
constexpr double kSharpness = 10;                         // sphere radius over perturbation radius
constexpr double kTracerLevel = 0.6, kTracerDepth = 0.1;  // centre and half-depth of the tracer, in eta

Vector3 wave_centre() {
  return {std::cos(kWaveLatitude) * std::cos(kWaveLongitude),
          std::cos(kWaveLatitude) * std::sin(kWaveLongitude), std::sin(kWaveLatitude)};
}

/// Steady flow of Jablonowski and Williamson (2006), in their notation; eta = p/p_s; p.z = sin(phi)
struct SteadyFlow {
  double u_0, eta_0, T_0, Gamma, Delta_T, eta_t;
  double a_Omega, g, R;

  double eta_v(double eta) const { return (eta - eta_0) * kPi / 2; }
  /// u_0 cos^(3/2) eta_v
  double speed(double eta) const { return u_0 * std::pow(std::cos(eta_v(eta)), 1.5); }
  /// u / cos(phi), u = u_0 cos^(3/2)(eta_v) sin^2(2 phi): equation 2.
  double angular_speed(Vector3 p, double eta) const {
    return speed(eta) * 4 * p.z * p.z * std::hypot(p.x, p.y);
  }
  /// <T> = T_0 eta^(R Gamma/g) + Delta_T (eta_t - eta)^5 above the tropopause: equations 4 and 5.
  double mean_temperature(double eta) const {
    const double warming = eta < eta_t ? Delta_T * std::pow(eta_t - eta, 5) : 0;
    return T_0 * std::pow(eta, R * Gamma / g) + warming;
  }
  /// The terms in braces of equation 6 (with factor 2) and equation 7 (with factor 1).
  double meridional_terms(Vector3 p, double factor, double eta) const {
    const double sin2 = p.z * p.z, cos2 = p.x * p.x + p.y * p.y, cos3 = cos2 * std::sqrt(cos2);
    return (-2 * sin2 * sin2 * sin2 * (cos2 + 1.0 / 3) + 10.0 / 63) * factor * speed(eta) +
           (8.0 / 5 * cos3 * (sin2 + 2.0 / 3) - kPi / 4) * a_Omega;
  }
  /// T = <T> + 3/4 (eta pi u_0/R) sin(eta_v) cos^(1/2)(eta_v) {...}: equation 6.
  double temperature(Vector3 p, double eta) const {
    const double v = eta_v(eta);
    return mean_temperature(eta) +
           0.75 * eta * kPi * u_0 / R * std::sin(v) * std::sqrt(std::cos(v)) * meridional_terms(p, 2, eta);
  }
  /// Phi_s = u_0 cos^(3/2)(eta_v) {...} at eta = 1: equation 7 with <Phi> = 0.
  double surface_geopotential(Vector3 p) const { return speed(1) * meridional_terms(p, 1, 1); }
};

/// Options: `speed` u_0, `jet_level` eta_0, `temperature` T_0, `lapse_rate` Gamma, `warming` Delta_T,
/// `tropopause` eta_t; `perturbation`, the amplitude u_p of the perturbation u' = u_p exp(-(r/R)^2) of the
/// eastward wind at all levels around 20 E 40 N (equation 10); 0 gives the steady flow. The tracer, a patch
/// at the same place around eta = 0.6, is not part of the paper.
AirStart make_baroclinic_wave(const StartOptions& options, const Planet& planet, const Air& air) {
  const SteadyFlow flow{.u_0 = options.at("speed"),
                        .eta_0 = options.at("jet_level"),
                        .T_0 = options.at("temperature"),
                        .Gamma = options.at("lapse_rate"),
                        .Delta_T = options.at("warming"),
                        .eta_t = options.at("tropopause"),
                        .a_Omega = planet.radius * planet.rotation,
                        .g = planet.gravity,
                        .R = air.gas_constant};
  const double amplitude = options.at("perturbation");
  AirStart start;
  start.ground_geopotential = [=](Vector3 p) { return flow.surface_geopotential(p); };
  start.surface_pressure = [](Vector3) { return kSeaLevelPressure; };
  start.temperature = [=](Vector3 p, double pressure) {
    return flow.temperature(p, pressure / kSeaLevelPressure);
  };
  start.wind = [=](Vector3 p, double pressure) {
    const Vector3 steady = flow.angular_speed(p, pressure / kSeaLevelPressure) * cross({0, 0, 1}, p);
    return steady + amplitude * baroclinic_bump(p) * eastward(p);
  };
  start.tracer = [](Vector3 p, double pressure) {
    const double distance = (pressure / kSeaLevelPressure - kTracerLevel) / kTracerDepth;
    return baroclinic_bump(p) * std::exp(-distance * distance);
  };
  return start;
}

}  // namespace

double baroclinic_bump(Vector3 p) {
  static const Vector3 centre = wave_centre();
  const double r = kSharpness * mesh::arc_length(p, centre);
  return std::exp(-r * r);
}

Vector3 eastward(Vector3 p) {
  const double lambda = mesh::longitude(p);
  return {-std::sin(lambda), std::cos(lambda), 0};
}

AirStartEntry baroclinic_wave() {
  return {
      {.name = "baroclinic_wave",
       .text =
           "Balanced jets with a perturbation that grows into a baroclinic wave (Jablonowski and Williamson "
           "2006).",
       .references = "Jablonowski and Williamson (2006, Q. J. R. Meteorol. Soc. 132)",
       .options = {start_type("baroclinic_wave", "Baroclinic wave."),
                   number("speed", 35.0, "Maximum wind of the jets.", "m s-1", -500, 500),
                   number("perturbation", 1.0, "Amplitude of the wind perturbation; 0: steady jets.", "m s-1",
                          -100, 100),
                   number_above("temperature", 288.0, "Mean temperature at the surface.", "K", 100, 1000),
                   number_above("lapse_rate", 0.005, "Lapse rate of temperature.", "K m-1", 0, 0.01)}},
      make_baroclinic_wave,
      /*api_only_defaults=*/{{"jet_level", 0.252}, {"warming", 4.8e5}, {"tropopause", 0.2}}};
}

}  // namespace halcyon::atmosphere
