#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr double kTaperHeight = 15000;                // z_p [m]
constexpr double kHumidLatitude = kTwoPi / 9;         // phi_w
constexpr double kHumidDepth = 34000, kDryTop = 0.1;  // p_w [Pa], p_t / p_s
constexpr double kDryHumidity = 1e-12;                // q_t [kg kg-1]
constexpr double kHalfWidth = 2, kPower = 3;          // b, K

/// Steady flow of Ullrich et al. (2014), section 2, for a shallow atmosphere, in their notation; p.z =
/// sin(phi).
struct ShearFlow {
  double T_E, T_P, Gamma;
  double a, Omega, g, R;

  double T_0() const { return (T_E + T_P) / 2; }
  /// exp(-(z g / (b R T_0))^2)
  double decay(double z) const { return std::exp(-scaled2(z)); }
  double scaled2(double z) const { return std::pow(z * g / (kHalfWidth * R * T_0()), 2); }
  double B() const { return (T_0() - T_P) / (T_0() * T_P); }
  double C() const { return (kPower + 2) / 2 * (T_E - T_P) / (T_E * T_P); }
  double I_T(Vector3 p) const {
    const double cosine = std::hypot(p.x, p.y);
    return std::pow(cosine, kPower) - kPower / (kPower + 2) * std::pow(cosine, kPower + 2);
  }
  /// T_v = 1 / (tau_1 - tau_2 I_T)
  double temperature(Vector3 p, double z) const {
    const double shape = (1 - 2 * scaled2(z)) * decay(z);
    return 1 / (std::exp(Gamma * z / T_0()) / T_0() + (B() - C() * I_T(p)) * shape);
  }
  /// ln(p / p_0) = -(g/R) (tau_int,1 - tau_int,2 I_T)
  double log_pressure(Vector3 p, double z) const {
    return -g / R * (std::expm1(Gamma * z / T_0()) / Gamma + (B() - C() * I_T(p)) * z * decay(z));
  }
  /// The height of a pressure: Newton's method, d(ln p)/dz = -g / (R T_v).
  double height(Vector3 p, double pressure) const {
    return height_of(
        std::log(pressure / kSeaLevelPressure), [&](double z) { return log_pressure(p, z); },
        [&](double z) { return g / (R * temperature(p, z)); });
  }
  /// u / cos(phi), u = -Omega a cos(phi) + ((Omega a cos(phi))^2 + a cos(phi) U)^(1/2),
  /// U = (g K / a) tau_int,2 (cos^(K-1)(phi) - cos^(K+1)(phi)) T_v
  double angular_speed(Vector3 p, double z) const {
    const double cosine2 = p.x * p.x + p.y * p.y;
    const double U_by_cosine = g * kPower / a * C() * z * decay(z) * (1 - cosine2) *
                               std::pow(cosine2, (kPower - 2) / 2) * temperature(p, z);
    return -Omega * a + std::copysign(std::sqrt(Omega * a * Omega * a + a * U_by_cosine), Omega);
  }
};

/// 1 - 3 (z/z_p)^2 + 2 (z/z_p)^3 below z_p
double taper(double z) {
  const double s = z / kTaperHeight;
  return s < 1 ? 1 - 3 * s * s + 2 * s * s * s : 0;
}

/// Options: `equator` T_E, `pole` T_P, `lapse_rate` Gamma, `perturbation` u_p, `humidity` q_0.
AirStart make_moist_baroclinic_wave(const StartOptions& options, const Planet& planet, const Air& air) {
  const ShearFlow flow{.T_E = options.at("equator"),
                       .T_P = options.at("pole"),
                       .Gamma = options.at("lapse_rate"),
                       .a = planet.radius,
                       .Omega = planet.rotation,
                       .g = planet.gravity,
                       .R = air.gas_constant};
  require<ConfigError>(planet.rotation != 0,
                       "The start 'moist_baroclinic_wave' needs a planet that rotates.");
  const double amplitude = options.at("perturbation"), humidity = options.at("humidity");
  AirStart start;
  start.surface_pressure = [](Vector3) { return kSeaLevelPressure; };
  const auto specific_humidity = [=](Vector3 p, double pressure) {
    if (pressure <= kDryTop * kSeaLevelPressure) return kDryHumidity;
    const double phi = mesh::latitude(p) / kHumidLatitude,
                 depth = (pressure - kSeaLevelPressure) / kHumidDepth;
    return humidity * std::exp(-std::pow(phi, 4) - depth * depth);
  };
  start.specific_humidity = specific_humidity;
  start.temperature = [=](Vector3 p, double pressure) {
    return flow.temperature(p, flow.height(p, pressure)) / air.virtual_factor(specific_humidity(p, pressure));
  };
  start.wind = [=](Vector3 p, double pressure) {
    const double z = flow.height(p, pressure), bump = baroclinic_bump(p);
    const double gust = bump > std::exp(-1) ? amplitude * taper(z) * bump : 0;  // r < R_p
    return flow.angular_speed(p, z) * cross({0, 0, 1}, p) + gust * eastward(p);
  };
  return start;
}

}  // namespace

AirStartEntry moist_baroclinic_wave() {
  return {
      {.name = "moist_baroclinic_wave",
       .text = "Balanced jets of moist air with a perturbation that grows into a baroclinic wave (Ullrich et "
               "al. 2014, with the humidity of DCMIP2016); the ground is flat.",
       .references =
           "Ullrich et al. (2014, Q. J. R. Meteorol. Soc. 140); Ullrich et al. (2016, DCMIP2016 test "
           "case document), test 1-1",
       .options = {start_type("moist_baroclinic_wave", "Moist baroclinic wave."),
                   number("perturbation", 1.0, "Amplitude of the wind perturbation; 0: steady jets.", "m s-1",
                          -100, 100),
                   number("humidity", 0.018, "Largest specific humidity.", "1", 0, 0.1)}},
      make_moist_baroclinic_wave,
      /*api_only_defaults=*/{{"equator", 310}, {"pole", 240}, {"lapse_rate", 0.005}}};
}

}  // namespace halcyon::atmosphere
