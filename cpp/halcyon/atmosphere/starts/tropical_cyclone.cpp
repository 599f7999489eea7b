#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {
namespace {

constexpr double kLatitude = kPi / 18;                       // of the centre, at 180 E
constexpr double kPressure = 101500;                         // p_b [Pa]
constexpr double kTropopause = 15000, kVortexHeight = 7000;  // z_t, z_p [m]
constexpr double kHumidHeight = 3000, kHumidHeight2 = 8000;  // z_q1, z_q2 [m]
constexpr double kDryHumidity = 1e-11;                       // q_t [kg kg-1]
constexpr double kLapseRate = 0.007;                         // Gamma [K m-1]

/// Vortex of Reed and Jablonowski (2011), in the notation of the DCMIP2016 document, section 3.
struct Vortex {
  Vector3 centre;
  double Delta_p, r_p, q_0, T_v0;
  double a, f_c, g, R;

  double r(Vector3 p) const { return a * mesh::arc_length(p, centre); }
  double T_vt() const { return T_v0 - kLapseRate * kTropopause; }
  double exponent() const { return g / (R * kLapseRate); }
  double p_t() const { return kPressure * std::pow(T_vt() / T_v0, exponent()); }
  /// (r/r_p)^(3/2) + (z/z_p)^2
  double distance(double r, double z) const {
    return std::pow(r / r_p, 1.5) + std::pow(z / kVortexHeight, 2);
  }
  double surface_pressure(Vector3 p) const { return kPressure - Delta_p * std::exp(-distance(r(p), 0)); }
  /// ln of p = (p_b - Delta_p exp(-...)) ((T_v0 - Gamma z)/T_v0)^(g/(R Gamma)) below the tropopause
  double log_pressure(double r, double z) const {
    return std::log(kPressure - Delta_p * std::exp(-distance(r, z))) +
           exponent() * std::log1p(-kLapseRate * z / T_v0);
  }
  /// 1 - (p_b/Delta_p) exp(...), whose inverse vanishes without a vortex
  double inverse_depth(double r, double z) const {
    return Delta_p / (Delta_p - kPressure * std::exp(distance(r, z)));
  }
  /// 2 R (T_v0 - Gamma z) z / (g z_p^2)
  double warm_core(double z) const {
    return 2 * R * (T_v0 - kLapseRate * z) * z / (g * kVortexHeight * kVortexHeight);
  }
  double height(Vector3 p, double pressure) const {
    if (pressure <= p_t()) return kTropopause + R * T_vt() / g * std::log(p_t() / pressure);
    const double radius = r(p);
    return height_of(
        std::log(pressure), [&](double z) { return log_pressure(radius, z); },
        [&](double z) { return g / (R * below(radius, z)); });
  }
  /// T_v = (T_v0 - Gamma z) / (1 + 2 R (T_v0 - Gamma z) z / (g z_p^2 (1 - (p_b/Delta_p) exp(...))))
  double below(double r, double z) const {
    return (T_v0 - kLapseRate * z) / (1 + warm_core(z) * inverse_depth(r, z));
  }
  double temperature(Vector3 p, double pressure) const {
    const double z = height(p, pressure);
    return z < kTropopause ? below(r(p), z) : T_vt();
  }
  /// Gradient wind: v_T = -f_c r/2 + ((f_c r/2)^2 - (3/2) (r/r_p)^(3/2) (T_v0 - Gamma z) R / (1 + 2 R (T_v0 -
  /// Gamma z) z/(g z_p^2) - (p_b/Delta_p) exp(...)))^(1/2)
  double tangential(Vector3 p, double pressure) const {
    const double z = height(p, pressure), radius = r(p), half = f_c * radius / 2;
    if (z >= kTropopause) return 0;
    const double depth = inverse_depth(radius, z);
    const double gradient =
        -1.5 * std::pow(radius / r_p, 1.5) * (T_v0 - kLapseRate * z) * R * depth / (1 + warm_core(z) * depth);
    return std::copysign(std::sqrt(half * half + gradient), half) - half;
  }
};

/// Options: `depth` Delta_p, `radius` r_p, `humidity` q_0, `temperature` T_0.
AirStart make_tropical_cyclone(const StartOptions& options, const Planet& planet, const Air& air) {
  const double q_0 = options.at("humidity");
  const Vortex vortex{.centre = {-std::cos(kLatitude), 0, std::sin(kLatitude)},
                      .Delta_p = options.at("depth"),
                      .r_p = options.at("radius"),
                      .q_0 = q_0,
                      .T_v0 = options.at("temperature") * air.virtual_factor(q_0),
                      .a = planet.radius,
                      .f_c = 2 * planet.rotation * std::sin(kLatitude),
                      .g = planet.gravity,
                      .R = air.gas_constant};
  AirStart start;
  start.surface_pressure = [=](Vector3 p) { return vortex.surface_pressure(p); };
  const auto specific_humidity = [=](Vector3 p, double pressure) {
    const double z = vortex.height(p, pressure);
    return z < kTropopause ? vortex.q_0 * std::exp(-z / kHumidHeight - std::pow(z / kHumidHeight2, 2))
                           : kDryHumidity;
  };
  start.specific_humidity = specific_humidity;
  start.temperature = [=](Vector3 p, double pressure) {
    return vortex.temperature(p, pressure) / air.virtual_factor(specific_humidity(p, pressure));
  };
  start.wind = [=](Vector3 p, double pressure) {
    const Vector3 direction = cross(vortex.centre, p);
    const double sine = norm(direction);
    return vortex.tangential(p, pressure) / std::max(sine, 1e-25) * direction;
  };
  return start;
}

}  // namespace

AirStartEntry tropical_cyclone() {
  return {
      {.name = "tropical_cyclone",
       .text = "A weak warm-core vortex at 10 N, 180 E in a moist tropical atmosphere at rest, which grows "
               "into a tropical "
               "cyclone (Reed and Jablonowski 2011).",
       .references =
           "Reed and Jablonowski (2011, Mon. Weather Rev. 139); Ullrich et al. (2016, DCMIP2016 test "
           "case document), test 1-2",
       .options = {start_type("tropical_cyclone", "Tropical cyclone."),
                   number("depth", 1115.0, "Deficit of the surface pressure at the centre.", "Pa", 0, 2e4),
                   number_above("radius", 282000.0, "Radius of the pressure deficit.", "m", 0, 1e7),
                   number("humidity", 0.021, "Largest specific humidity.", "1", 0, 0.1),
                   number_above("temperature", 302.15, "Temperature at the surface.", "K", 200, 400)}},
      make_tropical_cyclone};
}

}  // namespace halcyon::atmosphere
