#include <cmath>
#include <vector>

#include "halcyon/physics/scheme.hpp"
#include "halcyon/physics/water.hpp"

namespace halcyon::physics {
namespace {

// Reed and Jablonowski (2012, J. Adv. Model. Earth Syst. 4, M04001)
constexpr double kTriplePoint = 273.16, kTriplePressure = 610.78;  // T_0 [K], e_0 [Pa]
constexpr double kTransfer = 0.0011;                               // C_E = C_H
constexpr double kMixedPressure = 85000, kTaper = 10000;           // p_top, p_strato [Pa]
constexpr double kKarman = 0.4, kBryanTop = 1000;                  // kappa, h [m]

// In the order of the declaration.
enum Option { kCondensation, kSurfaceFluxes, kBoundaryLayer, kSeaSurface, kSeaSurfaceTemperature };
constexpr double kNone = 0, kBryan = 2, kBaroclinicWave = 1;  // places in the lists of texts

/// A layer of kLanes columns; q is the specific humidity: mass of vapour over mass of air with its water.
struct Layer {
  Doubles mass;                    ///< of air with its water [kg m-2]
  Doubles u, v, temperature, q;    ///< [m s-1], [K], [kg kg-1]
  Doubles pressure, exner, theta;  ///< [Pa], (p/p_0)^kappa, [K]
  Doubles momentum, heat;          ///< dt rho K / dz of the interface above the layer [kg m-2]
};

/// q_sat = (epsilon e_0 / p) exp(-(L/R_v) (1/T - 1/T_0)), epsilon = R/R_v: equation 10
Doubles saturated(Doubles temperature, Doubles pressure, double gas_constant) {
  return gas_constant / kVapourGasConstant * kTriplePressure / pressure *
         exponential<double>(-kLatentHeat / kVapourGasConstant * (1 / temperature - 1 / kTriplePoint));
}

/// Sums over the layers [J m-2]: c_p T dm and (u^2 + v^2)/2 dm.
struct Energy {
  Doubles enthalpy{}, kinetic{};

  Energy(const std::vector<Layer>& layers, double heat_capacity) {
    for (const auto& layer : layers) {
      enthalpy += layer.mass * (heat_capacity * layer.temperature);
      kinetic += layer.mass * (0.5 * (layer.u * layer.u + layer.v * layer.v));
    }
  }
};

/// Large-scale condensation, which falls out at once:
///   dq = (q - q_sat) / (1 + (L/c_p) epsilon L q_sat / (R T^2)) where q > q_sat
/// Returns the precipitation [kg m-2].
Doubles condense(std::vector<Layer>& layers, const halcyon_columns& c) {
  Doubles precipitation{};
  for (auto& layer : layers) {
    const Doubles q_sat = saturated(layer.temperature, layer.pressure, c.gas_constant);
    const Doubles slope = kLatentHeat * q_sat / (kVapourGasConstant * layer.temperature * layer.temperature);
    const Doubles condensed =
        larger(layer.q - q_sat, Doubles{}) / (1 + kLatentHeat / c.heat_capacity * slope);
    layer.q -= condensed;
    layer.temperature += kLatentHeat / c.heat_capacity * condensed;
    precipitation += layer.mass * condensed;
  }
  return precipitation;
}

/// Sea surface temperature of the moist baroclinic wave [K]: the temperature of Jablonowski and Williamson
/// (2006, equation 6) at eta = 1, with virtual temperatures of q = .021 exp(-(phi/40 degrees)^4) removed, as
/// in the DCMIP2016 code of Reed and Jablonowski.
double wave_surface(double latitude, const halcyon_columns& c) {
  constexpr double kSpeed = 35, kMean = 288, kHumidity = 0.021, kWidth = kTwoPi / 9;
  const double eta_v = (1 - 0.252) * kPi / 2, sine2 = std::pow(std::sin(latitude), 2),
               cosine = std::cos(latitude);
  const double jet = (-2 * sine2 * sine2 * sine2 * (cosine * cosine + 1.0 / 3) + 10.0 / 63) * kSpeed *
                     std::pow(std::cos(eta_v), 1.5),
               rotation = (8.0 / 5 * cosine * cosine * cosine * (sine2 + 2.0 / 3) - kPi / 4) * kEarthRadius *
                          kEarthRotation / 2;
  const double virtual_temperature = kMean + kPi * kSpeed / c.gas_constant * 1.5 * std::sin(eta_v) *
                                                 std::sqrt(std::cos(eta_v)) * (jet + rotation);
  return virtual_temperature / (1 + (kVapourGasConstant / c.gas_constant - 1) * kHumidity *
                                        std::exp(-std::pow(latitude / kWidth, 4)));
}

/// What the surface layer gives to the fluxes: |v_a| [m s-1], C_d and z_a [m].
struct Surface {
  Doubles wind, drag, height;
};

/// C_d = 7e-4 + 6.5e-5 |v_a| below 20 m/s, 0.002 above: equation 7
Surface surface_of(const Layer& lowest, const ColumnLanes& columns) {
  const auto& c = columns.c;
  const Doubles wind = square_root(lowest.u * lowest.u + lowest.v * lowest.v);
  return {
      wind, wind < 20.0 ? 7e-4 + 6.5e-5 * wind : broadcast(0.002),
      (columns.get(c.geopotential, c.n_levels - 1) - columns.get(c.surface_geopotential)) * (1 / c.gravity)};
}

/// Fluxes from the sea, implicit: x_a = (x_a + C |v_a| x_s dt/z_a) / (1 + C |v_a| dt/z_a), with x_s = 0 of
/// the wind, T_s, q_sat(T_s, p_s). Returns the evaporation [kg m-2].
Doubles exchange_with_sea(Layer& lowest, const Surface& surface, const ColumnLanes& columns) {
  const auto& c = columns.c;
  Doubles sea = broadcast(c.options[kSeaSurfaceTemperature]);
  if (c.options[kSeaSurface] == kBaroclinicWave)
    for (int lane = 0; lane < kLanes<double>; ++lane)
      sea[lane] = wave_surface(c.latitude[columns.first + lane], c);
  const Doubles number = c.step * surface.wind / surface.height, transfer = kTransfer * number;
  const Doubles slow = 1 / (1 + surface.drag * number);
  lowest.u *= slow, lowest.v *= slow;
  lowest.temperature += transfer / (1 + transfer) * (sea - lowest.temperature);
  const Doubles evaporated = transfer / (1 + transfer) *
                             (saturated(sea, columns.get(c.surface_pressure), c.gas_constant) - lowest.q);
  lowest.q += evaporated;
  return lowest.mass * evaporated;
}

/// Eddy diffusivities at interfaces, equations 17 and 18 of the paper
///   K = C |v_a| z_a, times exp(-((p_top - p)/p_strato)^2) above p_top,
/// or those of Bryan (DCMIP2016 test case document, appendix E): K = kappa C^(1/2) |v_a| z (1 - z/h)^2 below
/// h. C is C_d for momentum and C_E for heat and water.
void set_diffusivities(std::vector<Layer>& layers, const Surface& surface, const ColumnLanes& columns) {
  const auto& c = columns.c;
  const double virtual_factor = kVapourGasConstant / c.gas_constant - 1;
  const auto virtual_temperature = [&](const Layer& layer) {
    return layer.temperature * (1 + virtual_factor * layer.q);
  };
  layers[0].momentum = layers[0].heat = Doubles{};
  for (int k = 1; k < c.n_levels; ++k) {
    auto &layer = layers[k], &upper = layers[k - 1];
    const Doubles p = columns.get(c.interface_pressure, k),
                  density =
                      p / (c.gas_constant * 0.5 * (virtual_temperature(upper) + virtual_temperature(layer))),
                  distance =
                      (columns.get(c.geopotential, k - 1) - columns.get(c.geopotential, k)) / c.gravity;
    Doubles momentum, heat;
    if (c.options[kBoundaryLayer] == kBryan) {
      const Doubles z =
          (columns.get(c.interface_geopotential, k) - columns.get(c.surface_geopotential)) * (1 / c.gravity);
      const Doubles below = larger(1 - z / kBryanTop, Doubles{}), shape = kKarman * z * below * below;
      momentum = shape * square_root(surface.drag);
      heat = shape * std::sqrt(kTransfer);
    } else {
      const Doubles above = larger((kMixedPressure - p) / kTaper, Doubles{});
      const Doubles shape = surface.height * exponential<double>(-above * above);
      momentum = shape * surface.drag;
      heat = shape * kTransfer;
    }
    const Doubles factor = c.step * density * surface.wind / distance;
    layer.momentum = factor * momentum;
    layer.heat = factor * heat;
  }
}

/// Implicit diffusion of x with the exchange G of interfaces [kg m-2], and mass m (appendix D):
///   m_k (x_k - x_k^old) = G_k (x_{k-1} - x_k) + G_{k+1} (x_{k+1} - x_k)
/// The increments are differences of the fluxes of the solution, so that the sum of m x changes by rounding
/// only.
void diffuse(std::vector<Layer>& layers, Doubles Layer::* x, Doubles Layer::* exchange) {
  struct Row {
    Doubles slope, value;  // x_k = value + slope x_{k+1}
  };
  const std::size_t n = layers.size();
  std::vector<Row> rows(n);
  const auto below = [&](std::size_t k) { return k + 1 < n ? layers[k + 1].*exchange : Doubles{}; };
  for (std::size_t k = 0; k < n; ++k) {
    const auto& layer = layers[k];
    const Doubles up = layer.*exchange, down = below(k);
    const Row above = k == 0 ? Row{} : rows[k - 1];
    const Doubles inverse = 1 / (layer.mass + up + down - up * above.slope);
    rows[k] = {down * inverse, (layer.mass * (layer.*x) + up * above.value) * inverse};
  }
  for (std::size_t k = n - 1; k-- > 0;) rows[k].value += rows[k].slope * rows[k + 1].value;
  for (std::size_t k = 0; k < n; ++k) {
    Doubles gain = k == 0 ? Doubles{} : layers[k].*exchange * (rows[k - 1].value - rows[k].value);
    if (k + 1 < n) gain += below(k) * (rows[k + 1].value - rows[k].value);
    layers[k].*x += gain / layers[k].mass;
  }
}

/// Mixes wind, potential temperature and specific humidity.
void mix(std::vector<Layer>& layers) {
  for (auto& layer : layers) layer.theta = layer.temperature / layer.exner;
  diffuse(layers, &Layer::u, &Layer::momentum);
  diffuse(layers, &Layer::v, &Layer::momentum);
  diffuse(layers, &Layer::q, &Layer::heat);
  diffuse(layers, &Layer::theta, &Layer::heat);
  for (auto& layer : layers) layer.temperature = layer.theta * layer.exner;
}

/// Reed and Jablonowski (2012): condensation, surface fluxes and diffusion, one after the other.
int run(const halcyon_columns* block) {
  const auto& c = *block;
  const WaterTracers tracers(c);
  if (!tracers.are_there()) return 1;
  const double rate = 1 / c.step;
  std::vector<Layer> layers(c.n_levels);
  for (int i = 0; i < c.n_columns; i += kLanes<double>) {
    const ColumnLanes columns{c, static_cast<std::size_t>(i)};
    for (int k = 0; k < c.n_levels; ++k) {
      auto& layer = layers[k];
      layer.mass = columns.mass(k);
      layer.u = columns.get(c.eastward_wind, k);
      layer.v = columns.get(c.northward_wind, k);
      layer.temperature = columns.get(c.temperature, k);
      layer.q = columns.tracer(tracers.vapour, k) / (1 + columns.water(tracers, k));
      layer.pressure = columns.get(c.pressure, k);
      layer.exner = columns.get(c.exner, k);
    }
    Doubles precipitation{}, evaporation{};
    const Energy first(layers, c.heat_capacity);
    if (c.options[kCondensation] != 0) precipitation = condense(layers, c);
    const Energy condensed(layers, c.heat_capacity);
    const Surface surface = surface_of(layers.back(), columns);
    if (c.options[kSurfaceFluxes] != 0) evaporation = exchange_with_sea(layers.back(), surface, columns);
    const Energy exchanged(layers, c.heat_capacity);
    if (c.options[kBoundaryLayer] != kNone) {
      set_diffusivities(layers, surface, columns);
      mix(layers);
    }
    const Energy last(layers, c.heat_capacity);
    for (int k = 0; k < c.n_levels; ++k) {
      const auto& layer = layers[k];
      // Mass of vapour is q times the mass of air with water: of a unit of dry air, q (1 + q_t).
      const Doubles moist = 1 + columns.water(tracers, k), before = columns.tracer(tracers.vapour, k);
      columns.put(c.temperature_tendency, k, rate * (layer.temperature - columns.get(c.temperature, k)));
      columns.put(c.eastward_wind_tendency, k, rate * (layer.u - columns.get(c.eastward_wind, k)));
      columns.put(c.northward_wind_tendency, k, rate * (layer.v - columns.get(c.northward_wind, k)));
      columns.put(c.tracer_tendencies, columns.tracer_row(tracers.vapour, k),
                  rate * (layer.q * moist - before));
    }
    columns.put(c.fields[1], 0, rate * precipitation);
    const auto add = [&](int field, Doubles amount) {
      columns.put(c.fields[field], 0, columns.get(c.fields[field]) + amount);
    };
    add(0, precipitation);
    add(2, evaporation);
    add(3, condensed.enthalpy - first.enthalpy);
    add(4, exchanged.enthalpy - condensed.enthalpy);
    add(5, last.enthalpy - exchanged.enthalpy);
    add(6, first.kinetic - last.kinetic);
  }
  return 0;
}

}  // namespace

ColumnScheme reed_jablonowski() {
  ColumnScheme scheme;
  scheme.declaration = {
      .name = "reed_jablonowski",
      .text =
          "Simple physics of Reed and Jablonowski (2012): large-scale condensation, surface fluxes over the "
          "sea and boundary layer.",
      .references =
          "Reed and Jablonowski (2012, J. Adv. Model. Earth Syst. 4, M04001); Ullrich et al. (2016, "
          "DCMIP2016 test case document)",
      .options =
          {{.name = "condensation",
            .value = true,
            .text = "Vapour above saturation falls out at once; false with another scheme of clouds, such as "
                    "kessler."},
           {.name = "surface_fluxes",
            .value = true,
            .text = "Fluxes of momentum, heat and water from the sea."},
           {.name = "boundary_layer",
            .value = std::string("reed_jablonowski"),
            .text = "Diffusivities of the boundary layer: those of the paper, of Bryan (DCMIP2016), or none.",
            .names = {"none", "reed_jablonowski", "bryan"}},
           {.name = "sea_surface",
            .value = std::string("constant"),
            .text = "Temperature of the sea: the same everywhere, or that of the moist baroclinic wave.",
            .names = {"constant", "baroclinic_wave"}},
           {.name = "sea_surface_temperature",
            .value = 302.15,
            .text = "Temperature of the sea where it is the same everywhere.",
            .unit = "K",
            .minimum = 100,
            .maximum = 400}},
      .traits = {"fields", "condenses"}};
  scheme.fields = {
      {"large_scale_precipitation", false, "kg m-2", "large-scale precipitation since the start"},
      {"large_scale_precipitation_rate", false, "kg m-2 s-1", "rate of large-scale precipitation"},
      {"evaporation", false, "kg m-2", "evaporation from the sea since the start"},
      {"large_scale_latent_heat", false, "J m-2", "heat of large-scale condensation since the start"},
      {"sensible_heat", false, "J m-2", "sensible heat from the sea since the start"},
      {"mixing_heat", false, "J m-2", "heat that mixing of potential temperature adds since the start"},
      {"dissipation", false, "J m-2",
       "kinetic energy lost by friction at the sea and by mixing since the start"}};
  scheme.function = run;
  scheme.uses = {.drag = false};
  scheme.tracers = {"water_vapour", "cloud_water", "rain_water"};
  scheme.set({}, 0);
  return scheme;
}

}  // namespace halcyon::physics
