#include "halcyon/wave/products/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMaximumHeightDuration = 1200;  // [s] for which the expected maximum height is computed

double height(const WaveSystem& s) {
  return s.m0 < kZero ? 0 : 4 * std::sqrt(s.m0);
}
double period(const WaveSystem& s) {
  return s.m0 < kCalm ? kMissing : s.m_minus_1 / s.m0;
}

// Returns the direction [degrees] from which waves come that propagate towards (east, north).
double direction_from(double east, double north) {
  const double degrees = std::atan2(-east, -north) / kDegree;
  const auto rounded = static_cast<float>(degrees < 0 ? degrees + 360 : degrees);
  return rounded < 360 ? rounded : 0;
}

double direction(const WaveSystem& s) {
  return s.m0 < kCalm ? kMissing : direction_from(s.east, s.north);
}

// Returns sqrt(2 (1 - r)) [degrees], with r the length of the mean unit vector (Kuik et al. 1988, eq. 34).
// @param east, north sum of density times unit vector   @param sum of the density
double spreading(double east, double north, double sum) {
  return std::sqrt(std::max(0., 2 * (1 - std::hypot(east, north) / sum))) / kDegree;
}

// Returns the expected height of the highest of N = 1200 s / Tm02 waves, by an approximation for large N.
// Wave heights H have the distribution P(H > h) = exp(-(h/sqrt(m0))^2.126 / 8.42) (Forristall 1978).
double highest_wave(const SeaState& s) {
  constexpr double a = 2.126, b = 8.42, euler = 0.5772156649;
  const double log_n = std::log(std::max(std::exp(1.), kMaximumHeightDuration * std::sqrt(s.m2 / s.all.m0)));
  return std::sqrt(s.all.m0) * std::pow(b * log_n, 1 / a) * (1 + euler / (a * log_n));
}

struct Row {
  std::string name, units, standard_name, long_name, definition;
  double (*value)(const SeaState& sea);
};

void add(std::vector<Product>& table, ProductKind kind, const std::vector<Row>& rows) {
  for (const auto& r : rows) {
    const fields::Variable variable{r.name,      {"cell"},      r.units,           r.standard_name,
                                    r.long_name, "time: point", /*restart=*/false, /*output=*/true};
    table.push_back({.variable = variable, .definition = r.definition, .kind = kind, .value = r.value});
  }
}

void add_moments(std::vector<Product>& table) {
  const std::string wave = "sea_surface_wave_", at_peak = "_at_variance_spectral_density_maximum";
  const std::string mean = wave + "mean_period_from_variance_spectral_density_";
  add(table, ProductKind::moments,
      {{"significant_height", "m", wave + "significant_height", "significant wave height", "`4 sqrt(m0)` [m]",
        [](const SeaState& s) { return height(s.all); }},
       {"expected_maximum_height", "m", wave + "maximum_height",
        "expected height of the highest wave within 20 minutes",
        "expected height of the highest of the `1200 s / Tm02` waves in 20 minutes, with wave heights after "
        "Forristall (1978): `P(H > h) = exp(-(h / sqrt(m0))^2.126 / 8.42)` [m]",
        [](const SeaState& s) { return s.is_zero() ? 0 : highest_wave(s); }},
       {"steepness", "1", "", "steepness 2 pi Hs / (g Tm02^2)", "`2 pi Hs / (g Tm02^2)`",
        [](const SeaState& s) {
          return s.is_calm() ? kMissing : kTwoPi * height(s.all) * s.m2 / (kGravity * s.all.m0);
        }},
       {"mean_period", "s", mean + "inverse_frequency_moment", "mean wave period Tm-1,0",
        "Tm-1,0 `= m_-1 / m0` [s]", [](const SeaState& s) { return period(s.all); }},
       {"mean_period_01", "s", mean + "first_frequency_moment", "mean wave period Tm01",
        "Tm01 `= m0 / m1` [s]", [](const SeaState& s) { return s.is_calm() ? kMissing : s.all.m0 / s.m1; }},
       {"mean_period_02", "s", mean + "second_frequency_moment", "mean wave period Tm02",
        "Tm02 `= sqrt(m0 / m2)` [s]",
        [](const SeaState& s) { return s.is_calm() ? kMissing : std::sqrt(s.all.m0 / s.m2); }},
       {"peak_period", "s", wave + "period" + at_peak, "peak wave period",
        "`1 / f_p`; `f_p` is the vertex of the parabola through the largest `E(f)` and its neighbours over "
        "log f [s]",
        [](const SeaState& s) { return s.is_calm() ? kMissing : 1 / s.peak_frequency; }},
       {"mean_direction", "degree", wave + "from_direction",
        "mean direction from which waves come, clockwise from north",
        "direction of the energy-weighted sum of unit vectors (Kuik et al. 1988) [degrees]",
        [](const SeaState& s) { return direction(s.all); }},
       {"peak_direction", "degree", wave + "from_direction" + at_peak,
        "direction from which the waves of the peak come, clockwise from north",
        "mean direction at the frequency of the largest `E(f)` [degrees]",
        [](const SeaState& s) { return s.is_calm() ? kMissing : direction_from(s.peak_east, s.peak_north); }},
       {"spreading", "degree", wave + "directional_spread", "directional spreading",
        "`sqrt(2 (1 - r))`, with `r` the length of the energy-weighted mean of unit vectors (Kuik et al. "
        "1988) [degrees]",
        [](const SeaState& s) {
          return s.is_calm() ? kMissing : spreading(s.all.east, s.all.north, s.all.m0);
        }},
       {"peak_spreading", "degree", wave + "directional_spread" + at_peak,
        "directional spreading of the waves of the peak",
        "directional spreading at the frequency of the largest `E(f)` [degrees]", [](const SeaState& s) {
          return s.is_calm() ? kMissing : spreading(s.peak_east, s.peak_north, s.peak_sum);
        }}});
}

void add_drift_and_flux(std::vector<Product>& table) {
  const std::string drift = "sea_surface_wave_stokes_drift_";
  add(table, ProductKind::drift_and_flux,
      {{"eastward_stokes_drift", "m s-1", drift + "eastward_velocity", "eastward Stokes drift at the surface",
        "surface Stokes drift, `integral of sigma k cosh(2kd) / sinh^2(kd) F sin(theta)` (Kenyon 1969), with "
        "the `f^-5` tail [m s-1]",
        [](const SeaState& s) { return s.drift_east; }},
       {"northward_stokes_drift", "m s-1", drift + "northward_velocity",
        "northward Stokes drift at the surface",
        "surface Stokes drift, with `cos(theta)` in the integral [m s-1]",
        [](const SeaState& s) { return s.drift_north; }},
       {"eastward_energy_flux", "W m-1", "", "eastward flux of wave energy, through all of the water's depth",
        "`rho g integral of cg F sin(theta)`, with the `f^-5` tail; relative to the water [W m-1]",
        [](const SeaState& s) { return s.flux_east; }},
       {"northward_energy_flux", "W m-1", "",
        "northward flux of wave energy, through all of the water's depth",
        "`rho g integral of cg F cos(theta)`, with the `f^-5` tail; relative to the water [W m-1]",
        [](const SeaState& s) { return s.flux_north; }}});
}

struct SystemTexts {
  std::string name, standard_name, long_name, height, period, direction;
};

// Adds height, mean period and direction of a wave system, which `select` returns from a sea state.
template <auto select>
void add_system(std::vector<Product>& table, const SystemTexts& texts) {
  const std::string standard = "sea_surface_" + texts.standard_name + "_wave_";
  add(table, ProductKind::systems,
      {{texts.name + "_height", "m", standard + "significant_height",
        "significant height of the " + texts.long_name, texts.height,
        [](const SeaState& s) { return height(select(s)); }},
       {texts.name + "_period", "s", standard + "mean_period", "mean period Tm-1,0 of the " + texts.long_name,
        texts.period, [](const SeaState& s) { return period(select(s)); }},
       {texts.name + "_direction", "degree", standard + "from_direction",
        "mean direction from which the " + texts.long_name + " comes, clockwise from north", texts.direction,
        [](const SeaState& s) { return direction(select(s)); }}});
}

void add_systems(std::vector<Product>& table) {
  add_system<[](const SeaState& s) { return s.wind_sea; }>(
      table, {"wind_sea", "wind", "wind sea", "`4 sqrt(m0)` of the wind sea [m]; 0 without wind sea",
              "Tm-1,0 of the wind sea [s]", "mean direction of the wind sea [degrees]"});
  add_system<[](const SeaState& s) { return s.swell; }>(
      table, {"swell", "swell", "total swell",
              "`4 sqrt(m0)` of all swell [m]; `sqrt(wind_sea_height^2 + swell_height^2)` is Hs",
              "Tm-1,0 of all swell [s]", "mean direction of all swell [degrees]"});
  add_system<[](const SeaState& s) { return s.swells[0]; }>(
      table,
      {"swell_1", "primary_swell", "highest swell", "`4 sqrt(m0)` of the highest swell system [m]",
       "Tm-1,0 of the highest swell system [s]", "mean direction of the highest swell system [degrees]"});
  add_system<[](const SeaState& s) { return s.swells[1]; }>(
      table,
      {"swell_2", "secondary_swell", "second swell", "`4 sqrt(m0)` of the second swell system [m]",
       "Tm-1,0 of the second swell system [s]", "mean direction of the second swell system [degrees]"});
  add_system<[](const SeaState& s) { return s.swells[2]; }>(
      table, {"swell_3", "tertiary_swell", "third swell", "`4 sqrt(m0)` of the third swell system [m]",
              "Tm-1,0 of the third swell system [s]", "mean direction of the third swell system [degrees]"});
}

std::vector<Product> make_products() {
  std::vector<Product> table;
  add_moments(table);
  add_drift_and_flux(table);
  add_systems(table);
  // These are not output variables; the share serves the warning that the first frequency is too high.
  add(table, ProductKind::moments,
      {{"peak_bin", "1", "", "index of the peak frequency, from 0; -1 for a calm sea", "",
        [](const SeaState& s) { return s.is_calm() ? -1. : s.peak_index; }},
       {"first_bin_share", "1", "", "variance of the first frequency over that of all", "",
        [](const SeaState& s) { return s.is_calm() ? 0. : s.first_variance / s.all.m0; }}});
  for (auto product = table.end() - 2; product != table.end(); ++product) product->variable.output = false;
  return table;
}

// A variable of the model that is not a product of the spectrum.
struct ListedVariable {
  fields::Variable variable;
  const char *heading, *definition;
};

ListedVariable cell_variable(const char* name, const char* units, const char* standard_name,
                             const char* long_name, const char* heading, const char* definition,
                             const char* cell_methods = "time: point") {
  return {{name, {"cell"}, units, standard_name, long_name, cell_methods, false, true}, heading, definition};
}

std::vector<ListedVariable> other_variables() {
  constexpr auto *surface = "Sea surface", *medium = "Wind, water and ice";
  std::vector<ListedVariable> rows = {
      cell_variable("largest_significant_height", "m", "sea_surface_wave_significant_height",
                    "largest significant wave height since the start", "Extremes over the run",
                    "largest of the values of Hs at the start and after every source step [m]",
                    "time: maximum"),
      cell_variable("friction_velocity", "m s-1", "magnitude_of_surface_friction_velocity_in_air",
                    "friction velocity of the air", surface, "friction velocity u* of the air [m s-1]"),
      cell_variable("roughness_length", "m", "surface_roughness_length_for_momentum_in_air",
                    "roughness length of the sea for the wind", surface,
                    "roughness length z0 of the sea surface [m]"),
      cell_variable("eastward_stress", "Pa", "surface_downward_eastward_stress",
                    "eastward stress of the wind on the sea", surface,
                    "eastward wind stress on the sea [Pa]"),
      cell_variable("northward_stress", "Pa", "surface_downward_northward_stress",
                    "northward stress of the wind on the sea", surface,
                    "northward wind stress on the sea [Pa]"),
      cell_variable("eastward_wind", "m s-1", "eastward_wind", "eastward wind at 10 m", medium,
                    "eastward wind at 10 m at the time of the record [m s-1]"),
      cell_variable("northward_wind", "m s-1", "northward_wind", "northward wind at 10 m", medium,
                    "northward wind at 10 m at the time of the record [m s-1]"),
      cell_variable("water_level", "m", "sea_surface_height_above_mean_sea_level",
                    "water level above the still water level to which the variable depth refers", medium,
                    "water level above the still water level to which `depth` refers [m]"),
      cell_variable("eastward_current", "m s-1", "eastward_sea_water_velocity", "eastward current", medium,
                    "eastward surface current [m s-1]"),
      cell_variable("northward_current", "m s-1", "northward_sea_water_velocity", "northward current", medium,
                    "northward surface current [m s-1]"),
      cell_variable("ice_fraction", "1", "sea_ice_area_fraction", "fraction of the cell covered by sea ice",
                    medium, "fraction of the cell covered by sea ice"),
      cell_variable("depth", "m", "sea_floor_depth_below_sea_surface", "water depth", medium,
                    "depth of the still water, written once per file [m]", "")};
  // The largest height accumulates over the run, so restart files contain it if it is an output variable.
  rows.front().variable.restart = true;
  return rows;
}

std::vector<fields::Variable> make_variables() {
  std::vector<fields::Variable> rows = {
      {"action",
       {"cell", "frequency", "direction"},
       "m2 s2",
       "",
       "wave action density F/sigma over frequency and direction (radians)",
       "",
       true,
       false},
      fields::restart_variable("wave_stress", {"cell"}, "m2 s-2", "wave stress over the density of air")};
  for (const auto& product : wave_products()) rows.push_back(product.variable);
  for (const auto& other : other_variables()) rows.push_back(other.variable);
  return rows;
}

}  // namespace

const std::vector<Product>& wave_products() {
  static const std::vector<Product> table = make_products();
  return table;
}

const Product& product_named(const std::string& name) {
  const auto& table = wave_products();
  const auto product = std::ranges::find(table, name, [](const Product& p) { return p.variable.name; });
  std::string names;
  for (const auto& row : table) names += (names.empty() ? "" : ", ") + row.variable.name;
  require<ConfigError>(product != table.end(), "Unknown product '{}'. The products are: {}.", name, names);
  return *product;
}

const std::vector<fields::Variable>& wave_variables() {
  static const std::vector<fields::Variable> table = make_variables();
  return table;
}

std::vector<options::RegistryEntry> wave_variable_choices() {
  static constexpr const char* headings[] = {"Spectral moments", "Stokes drift and energy flux",
                                             "Wind sea and swells"};
  std::vector<options::RegistryEntry> choices;
  for (const auto& product : wave_products()) {
    if (!product.variable.output) continue;
    choices.push_back({.name = product.variable.name,
                       .text = product.definition,
                       .heading = headings[static_cast<int>(product.kind)]});
  }
  for (const auto& other : other_variables())
    choices.push_back({.name = other.variable.name, .text = other.definition, .heading = other.heading});
  return choices;
}

}  // namespace halcyon::wave
