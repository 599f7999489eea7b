#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "halcyon/physics/scheme.hpp"
#include "halcyon/physics/water.hpp"

namespace halcyon::physics {
namespace {

/// A layer of kLanes columns.
struct Layer {
  Doubles mass;                              ///< of dry air [kg m-2]
  Doubles density;                           ///< of dry air [kg m-3]
  Doubles inverse_hpa;                       ///< 1/p [hPa-1]
  Doubles speed_factor;                      ///< (rho_s/rho)^(1/2) of the fall speed
  Doubles temperature, vapour, cloud, rain;  ///< [K], [kg kg-1] to dry air
  Doubles condensed;  ///< vapour that has condensed, less evaporation of cloud and rain [kg kg-1]
};

/// Fall speed of rain [m s-1], with the density in g cm-3; the exponent is that of the DCMIP2016 code and of
/// WRF (Klemp and Wilhelmson 1978, equation 2.15, print 0.1346).
///   V = 36.34 (rho q_r)^0.1364 (rho_s/rho)^(1/2)
Doubles fall_speed(Doubles rain_density, const Layer& layer) {
  return 36.34 * power<double>(rain_density, 0.1364) * layer.speed_factor;
}

/// rho q_r [g cm-3], not below a number whose powers are far below the results.
Doubles rain_density(const Layer& layer) {
  return larger(1e-3 * layer.density * layer.rain, broadcast(1e-30));
}

/// Conversions of water in a layer during dt [s] (Klemp and Wilhelmson 1978, equations 2.11 to 2.14 and 3.10,
/// as in the DCMIP2016 code of Klemp and Ullrich). With [g cm-3], [hPa], [s]:
///   autoconversion, accretion  dq_r = q_c - (q_c - dt max(.001 (q_c - .001), 0)) / (1 + 2.2 dt q_r^.875)
///   saturation                 q_vs = 3.8/p exp(17.27 (T - 273)/(T - 36))
///   condensation               dq_c = max((q_v - q_vs) / (1 + (L/c_p) dq_vs/dT), -q_c)
///   evaporation of rain        dt (1.6 + 124.9 (rho q_r)^.2046) (rho q_r)^.525 / (2.55e6/(p q_vs) + 5.4e5)
///                              max(1 - q_v/q_vs, 0) / rho,  at most q_r and what saturates the air
/// @param sediment rain that has fallen into the layer, less what has fallen out [kg kg-1]
/// @param collected q_r^.875 before the fall of rain  @param is_active lanes that take this step
template <class Mask>
void convert(Layer& layer, Doubles dt, Doubles sediment, Doubles collected, Mask is_active,
             double latent_over_heat) {
  const Doubles zero{};
  const Doubles produced = layer.cloud - (layer.cloud - dt * larger(0.001 * (layer.cloud - 0.001), zero)) /
                                             (1 + 2.2 * dt * collected);
  const Doubles rain_produced = larger(smaller(produced, layer.cloud), zero);
  layer.cloud -= rain_produced;
  layer.rain += rain_produced + sediment;

  const Doubles above = 1 / (layer.temperature - 36),
                saturated =
                    3.8 * layer.inverse_hpa * exponential<double>(17.27 * (layer.temperature - 273) * above);
  const Doubles excess =
      (layer.vapour - saturated) / (1 + latent_over_heat * 17.27 * (273 - 36) * saturated * above * above);
  const Doubles rho_rain = rain_density(layer);
  const Doubles ventilation =
      (1.6 + 124.9 * power<double>(rho_rain, 0.2046)) * power<double>(rho_rain, 0.525);
  const Doubles rate = ventilation / (2.55e6 * layer.inverse_hpa / saturated + 5.4e5) *
                       larger(saturated - layer.vapour, zero) / (1e-3 * layer.density * saturated);
  const Doubles evaporated = smaller(smaller(dt * rate, larger(-excess - layer.cloud, zero)), layer.rain);
  const Doubles condensed = larger(excess, -layer.cloud);
  const Doubles cloud_change = is_active ? condensed : zero, rain_change = is_active ? evaporated : zero;
  layer.cloud += cloud_change;
  layer.rain -= rain_change;
  layer.vapour -= cloud_change - rain_change;
  layer.temperature += latent_over_heat * (cloud_change - rain_change);
  layer.condensed += cloud_change - rain_change;
}

/// One step of dt [s]: rain falls with upwind fluxes of at most the rain of a layer, and water is converted.
/// Returns the rain at the surface [kg m-2].
template <class Mask>
Doubles take_step(std::vector<Layer>& layers, Doubles dt, Mask is_active, double latent_over_heat) {
  Doubles falling{};
  for (auto& layer : layers) {
    const Doubles leaving =
        larger(smaller(dt * layer.density * layer.rain * fall_speed(rain_density(layer), layer),
                       layer.mass * layer.rain),
               Doubles{});
    const Doubles collected = power<double>(larger(layer.rain, broadcast(1e-30)), 0.875);
    convert(layer, dt, (falling - leaving) / layer.mass, collected, is_active, latent_over_heat);
    falling = leaving;
  }
  return falling;
}

constexpr double kCourant = 0.8, kMostSteps = 1e4;  // of the fall of rain

/// Checks a layer through which rain falls `crossed` times in a step. Writes an error and returns false where
/// air is not finite or rain needs more than kMostSteps.
bool check_layer(const ColumnLanes& columns, const Layer& layer, int level, Doubles crossed) {
  const auto& c = columns.c;
  for (int lane = 0; lane < kLanes<double>; ++lane) {
    if (std::isfinite(layer.temperature[lane]) && std::isfinite(layer.inverse_hpa[lane]) &&
        crossed[lane] >= 0 && crossed[lane] <= kCourant * kMostSteps)
      continue;
    constexpr double kDegree = kTwoPi / 360;
    const std::size_t column = columns.first + lane;
    std::snprintf(c.message, HALCYON_MESSAGE_SIZE,
                  "longitude %.4f, latitude %.4f [degree], level %d have %g K, %g Pa and a thickness of %g "
                  "m, which rain crosses %g times in %g s; at most %g are possible, and all must be finite",
                  c.longitude[column] / kDegree, c.latitude[column] / kDegree, level, layer.temperature[lane],
                  columns.get(c.pressure, level)[lane], columns.thickness(level)[lane], crossed[lane], c.step,
                  kCourant * kMostSteps);
    return false;
  }
  return true;
}

/// Loads the layers. Returns the number of steps in which rain falls through at most kCourant of each layer,
/// or, after an error, nothing.
std::optional<Doubles> load_layers(const ColumnLanes& columns, const WaterTracers& tracers,
                                   std::vector<Layer>& layers) {
  const auto& c = columns.c;
  const int n = c.n_levels;
  for (int k = 0; k < n; ++k) {
    auto& layer = layers[k];
    layer.mass = columns.mass(k) / (1 + columns.water(tracers, k));
    layer.density = layer.mass / columns.thickness(k);
    layer.inverse_hpa = 100 / columns.get(c.pressure, k);
    layer.temperature = columns.get(c.temperature, k);
    layer.vapour = columns.tracer(tracers.vapour, k);
    layer.cloud = columns.tracer(tracers.cloud, k);
    layer.rain = columns.tracer(tracers.rain, k);
    layer.condensed = Doubles{};
  }
  Doubles steps = broadcast(1.0);
  for (int k = 0; k < n; ++k) {
    auto& layer = layers[k];
    layer.speed_factor = square_root(layers[n - 1].density / layer.density);
    const Doubles crossed = fall_speed(rain_density(layer), layer) * c.step * layer.density / layer.mass;
    if (!check_layer(columns, layer, k, crossed)) return {};
    steps = larger(steps, crossed / kCourant);
  }
  for (int lane = 0; lane < kLanes<double>; ++lane) steps[lane] = std::ceil(steps[lane]);
  return steps;
}

/// Kessler (1969, Meteorol. Monogr. 10) in the form of Klemp and Wilhelmson (1978, J. Atmos. Sci. 35,
/// 1070-1096) and of DCMIP2016 (Klemp et al. 2015, J. Adv. Model. Earth Syst. 7, 1155-1177; Ullrich et al.
/// 2016). Fluxes of rain are those of layers, so that the water that a column loses is that which falls on
/// its surface.
int run(const halcyon_columns* block) {
  const auto& c = *block;
  const WaterTracers tracers(c);
  if (!tracers.are_there()) return 1;
  const double latent_over_heat = kLatentHeat / c.heat_capacity, rate = 1 / c.step;
  std::vector<Layer> layers(c.n_levels);
  for (int i = 0; i < c.n_columns; i += kLanes<double>) {
    const ColumnLanes columns{c, static_cast<std::size_t>(i)};
    const auto loaded = load_layers(columns, tracers, layers);
    if (!loaded) return 1;
    const Doubles steps = *loaded;
    double most = 1;
    for (int lane = 0; lane < kLanes<double>; ++lane) most = std::max(most, steps[lane]);
    Doubles rain{}, heat{};
    for (int s = 0; s < most; ++s) {
      const auto is_active = static_cast<double>(s) < steps;
      rain += take_step(layers, is_active ? c.step / steps : Doubles{}, is_active, latent_over_heat);
    }
    for (int k = 0; k < c.n_levels; ++k) {
      const auto& layer = layers[k];
      const auto put_change = [&](int tracer, Doubles now) {
        columns.put(c.tracer_tendencies, columns.tracer_row(tracer, k),
                    rate * (now - columns.tracer(tracer, k)));
      };
      columns.put(c.temperature_tendency, k, rate * latent_over_heat * layer.condensed);
      heat += layer.mass * (kLatentHeat * layer.condensed);
      columns.put(c.tracer_tendencies, columns.tracer_row(tracers.vapour, k), -rate * layer.condensed);
      put_change(tracers.cloud, layer.cloud);
      put_change(tracers.rain, layer.rain);
    }
    columns.put(c.fields[0], 0, columns.get(c.fields[0]) + rain);
    columns.put(c.fields[1], 0, rate * rain);
    columns.put(c.fields[2], 0, columns.get(c.fields[2]) + heat);
  }
  return 0;
}

}  // namespace

ColumnScheme kessler() {
  ColumnScheme scheme;
  scheme.declaration = {
      .name = "kessler",
      .text =
          "Warm rain of Kessler (1969) as in DCMIP2016: cloud by saturation adjustment, autoconversion, "
          "accretion, evaporation and fall of rain.",
      .references =
          "Kessler (1969, Meteorol. Monogr. 10); Klemp and Wilhelmson (1978, J. Atmos. Sci. 35); Klemp "
          "et al. (2015, J. Adv. Model. Earth Syst. 7)",
      .traits = {"fields", "condenses"}};
  scheme.fields = {{"precipitation", false, "kg m-2", "rain on the surface since the start"},
                   {"precipitation_rate", false, "kg m-2 s-1", "rate of rain on the surface"},
                   {"latent_heat", false, "J m-2",
                    "heat of condensation, less that of evaporation of rain, since the start"}};
  scheme.function = run;
  scheme.uses = {.winds = false, .wind_tendency = false, .drag = false};
  scheme.tracers = {"water_vapour", "cloud_water", "rain_water"};
  scheme.set({}, 0);
  return scheme;
}

}  // namespace halcyon::physics
