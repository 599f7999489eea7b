#include <cmath>

#include "halcyon/base/lanes.hpp"
#include "halcyon/base/power.hpp"
#include "halcyon/physics/scheme.hpp"

namespace halcyon::physics {
namespace {

constexpr double kDay = 86400;
// In the order of the declaration.
enum Option {
  kSlowCooling,
  kFastCooling,
  kFriction,
  kBoundaryLayer,
  kSurfaceTemperature,
  kMinimumTemperature,
  kMeridionalDifference,
  kVerticalDifference
};

/// Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75, 1825-1830), with sigma = p / ps and y = max(0, (sigma
/// - sigma_b)/(1 - sigma_b)):
///   dT/dt = -k_T (T - T_eq),  k_T = k_a + (k_s - k_a) y cos^4 phi
///   T_eq = max(200 K, (315 K - 60 K sin^2 phi - 10 K ln(p/p_0) cos^2 phi) (p/p_0)^kappa)
///   dv/dt = -k_f y v,  1/k_a = 40 d, 1/k_s = 4 d, 1/k_f = 1 d, sigma_b = 0.7
int force(const halcyon_columns* columns) {
  const auto& c = *columns;
  const double* option = c.options;
  const double slow = 1 / (option[kSlowCooling] * kDay), fast = 1 / (option[kFastCooling] * kDay),
               friction = 1 / (option[kFriction] * kDay), bottom = option[kBoundaryLayer],
               inverse_depth = 1 / (1 - bottom);
  const Lanes<double> minimum = broadcast(option[kMinimumTemperature]);
  for (int i = 0; i < c.n_columns; i += kLanes<double>) {
    Lanes<double> sine2;
    for (int lane = 0; lane < kLanes<double>; ++lane) {
      const double sine = std::sin(c.latitude[i + lane]);
      sine2[lane] = sine * sine;
    }
    const Lanes<double> cosine2 = 1.0 - sine2, cosine4 = cosine2 * cosine2,
                        inverse_ps = 1.0 / load(c.surface_pressure + i);
    const Lanes<double> surface = option[kSurfaceTemperature] - option[kMeridionalDifference] * sine2,
                        lapse = option[kVerticalDifference] * cosine2;
    for (int k = 0; k < c.n_levels; ++k) {
      const auto here = static_cast<std::size_t>(k) * c.n_columns + i;
      const Lanes<double> pressure = load(c.pressure + here);
      const Lanes<double> y =
          larger<Lanes<double>>((pressure * inverse_ps - bottom) * inverse_depth, Lanes<double>{});
      const Lanes<double> troposphere =
          (surface - lapse * natural_log<double>(pressure * 1e-5)) * load(c.exner + here);
      const Lanes<double> rate = slow + (fast - slow) * y * cosine4;
      store(c.temperature_tendency + here,
            rate * (larger<Lanes<double>>(troposphere, minimum) - load(c.temperature + here)));
      store(c.drag + here, friction * y);
    }
  }
  return 0;
}

options::Option constant(const char* name, double value, const char* unit, const char* text, double minimum,
                         double maximum) {
  return {.name = name, .value = value, .text = text, .unit = unit, .minimum = minimum, .maximum = maximum};
}

}  // namespace

ColumnScheme held_suarez() {
  ColumnScheme scheme;
  scheme.declaration = {
      .name = "held_suarez",
      .text = "Newtonian cooling and Rayleigh friction of Held and Suarez (1994).",
      .references = "Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75)",
      .options = {
          constant("slow_cooling", 40, "day", "Time scale 1/k_a of the cooling aloft.", 1e-2, 1e6),
          constant("fast_cooling", 4, "day", "Time scale 1/k_s of the cooling at the surface of the equator.",
                   1e-2, 1e6),
          constant("friction", 1, "day", "Time scale 1/k_f of the friction at the surface.", 1e-2, 1e6),
          constant("boundary_layer", 0.7, "", "Top sigma_b of the friction, pressure over surface pressure.",
                   0, 0.99),
          constant("surface_temperature", 315, "K", "Equilibrium temperature at the surface of the equator.",
                   1, 1000),
          constant("minimum_temperature", 200, "K", "Smallest equilibrium temperature.", 1, 1000),
          constant("meridional_difference", 60, "K",
                   "Difference of the equilibrium temperature between equator and poles.", -1000, 1000),
          constant("vertical_difference", 10, "K",
                   "Increase of the equilibrium potential temperature at the equator, per factor e of "
                   "pressure.",
                   -1000, 1000)}};
  scheme.function = force;
  scheme.uses = {.winds = false, .layers = false, .wind_tendency = false, .tracers = false};
  scheme.set({}, 0);
  return scheme;
}

}  // namespace halcyon::physics
