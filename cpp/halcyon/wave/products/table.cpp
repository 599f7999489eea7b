#include "halcyon/wave/products/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kWatch = 1200;  // [s], over which the largest wave is expected

double height(const System& s) {
  return s.m0 < kCalm ? 0 : 4 * std::sqrt(s.m0);
}

double period(const System& s) {
  return s.m0 < kCalm ? kNone : s.m_1 / s.m0;
}

// Degrees from which waves come whose vectors sum to (east, north).
double direction_from(double east, double north) {
  const double degrees = std::atan2(-east, -north) / kDegree;
  const auto rounded = static_cast<float>(degrees < 0 ? degrees + 360 : degrees);
  return rounded < 360 ? rounded : 0;
}

double direction(const System& s) {
  return s.m0 < kCalm ? kNone : direction_from(s.east, s.north);
}

// sigma = sqrt(2 (1 - r)) with the mean vector's length r (Kuik et al. 1988, eq. 34).
double spreading(double east, double north, double sum) {
  return std::sqrt(std::max(0., 2 * (1 - std::hypot(east, north) / sum))) / kDegree;
}

// Mean of the highest of N = 1200 s / Tm02 waves, P(H > h) = exp(-(h/sqrt(m0))^2.126 / 8.42) (Forristall
// 1978), by its expansion for large N.
double highest_wave(const Sea& s) {
  constexpr double a = 2.126, b = 8.42, euler = 0.5772156649;
  const double log_n = std::log(std::max(std::exp(1.), kWatch * std::sqrt(s.m2 / s.all.m0)));
  return std::sqrt(s.all.m0) * std::pow(b * log_n, 1 / a) * (1 + euler / (a * log_n));
}

struct Row {
  std::string name, units, standard_name, long_name, definition;
  double (*value)(const Sea& sea);
};

void add(std::vector<Product>& table, Need need, const std::vector<Row>& rows) {
  for (const auto& r : rows)
    table.push_back({{r.name, {"cell"}, r.units, r.standard_name, r.long_name, "time: point", false, true},
                     r.definition,
                     need,
                     r.value});
}

void add_moments(std::vector<Product>& table) {
  const std::string wave = "sea_surface_wave_", at_peak = "_at_variance_spectral_density_maximum";
  const std::string mean = wave + "mean_period_from_variance_spectral_density_";
  add(table, Need::moments,
      {{"significant_height", "m", wave + "significant_height", "significant wave height", "`4 sqrt(m0)` [m]",
        [](const Sea& s) { return height(s.all); }},
       {"expected_maximum_height", "m", wave + "maximum_height",
        "expected height of the highest wave within 20 minutes",
        "mean of the highest of the waves within 20 minutes, `1200 s / Tm02` of them, whose heights follow "
        "Forristall (1978): `P(H > h) = exp(-(h / sqrt(m0))^2.126 / 8.42)` [m]",
        [](const Sea& s) { return s.is_calm() ? 0 : highest_wave(s); }},
       {"steepness", "1", "", "steepness 2 pi Hs / (g Tm02^2)", "`2 pi Hs / (g Tm02^2)`",
        [](const Sea& s) {
          return s.is_calm() ? kNone : kTwoPi * height(s.all) * s.m2 / (kGravity * s.all.m0);
        }},
       {"mean_period", "s", mean + "inverse_frequency_moment", "mean wave period Tm-1,0",
        "Tm-1,0 `= m_-1 / m0` [s]", [](const Sea& s) { return period(s.all); }},
       {"mean_period_01", "s", mean + "first_frequency_moment", "mean wave period Tm01",
        "Tm01 `= m0 / m1` [s]", [](const Sea& s) { return s.is_calm() ? kNone : s.all.m0 / s.m1; }},
       {"mean_period_02", "s", mean + "second_frequency_moment", "mean wave period Tm02",
        "Tm02 `= sqrt(m0 / m2)` [s]",
        [](const Sea& s) { return s.is_calm() ? kNone : std::sqrt(s.all.m0 / s.m2); }},
       {"peak_period", "s", wave + "period" + at_peak, "peak wave period",
        "`1 / f_p`; `f_p` is the vertex of the parabola through the largest `E(f)` and its neighbours over "
        "log f [s]",
        [](const Sea& s) { return s.is_calm() ? kNone : 1 / s.peak_frequency; }},
       {"mean_direction", "degree", wave + "from_direction",
        "mean direction from which waves come, clockwise from north",
        "of the energy-weighted sum of unit vectors (Kuik et al. 1988)",
        [](const Sea& s) { return direction(s.all); }},
       {"peak_direction", "degree", wave + "from_direction" + at_peak,
        "direction from which the waves of the peak come, clockwise from north",
        "the same at the frequency of the largest `E(f)`",
        [](const Sea& s) { return s.is_calm() ? kNone : direction_from(s.peak_east, s.peak_north); }},
       {"spreading", "degree", wave + "directional_spread", "directional spreading",
        "`sqrt(2 (1 - r))`, with `r` the length of that sum over the energy (Kuik et al. 1988) [degrees]",
        [](const Sea& s) { return s.is_calm() ? kNone : spreading(s.all.east, s.all.north, s.resolved); }},
       {"peak_spreading", "degree", wave + "directional_spread" + at_peak,
        "directional spreading of the waves of the peak", "the same at the frequency of the largest `E(f)`",
        [](const Sea& s) {
          return s.is_calm() ? kNone : spreading(s.peak_east, s.peak_north, s.peak_sum);
        }}});
}

void add_transports(std::vector<Product>& table) {
  const std::string drift = "sea_surface_wave_stokes_drift_";
  add(table, Need::transports,
      {{"eastward_stokes_drift", "m s-1", drift + "eastward_velocity", "eastward Stokes drift at the surface",
        "at the surface, `integral of sigma k cosh(2kd) / sinh^2(kd) F sin(theta)` (Kenyon 1969), with the "
        "tail [m s-1]",
        [](const Sea& s) { return s.drift_east; }},
       {"northward_stokes_drift", "m s-1", drift + "northward_velocity",
        "northward Stokes drift at the surface", "the same with `cos(theta)`",
        [](const Sea& s) { return s.drift_north; }},
       {"eastward_energy_flux", "W m-1", "", "eastward flux of wave energy, through all of the water's depth",
        "`rho g integral of cg F sin(theta)`, with the tail; relative to the water [W m-1]",
        [](const Sea& s) { return s.flux_east; }},
       {"northward_energy_flux", "W m-1", "",
        "northward flux of wave energy, through all of the water's depth", "the same with `cos(theta)`",
        [](const Sea& s) { return s.flux_north; }}});
}

struct SystemTexts {
  std::string name, standard_name, long_name, height, period, direction;
};

// Height, mean period and direction of a system of waves; `of` takes it from a sea.
template <auto of>
void add_system(std::vector<Product>& table, const SystemTexts& texts) {
  const std::string standard = "sea_surface_" + texts.standard_name + "_wave_";
  add(table, Need::systems,
      {{texts.name + "_height", "m", standard + "significant_height",
        "significant height of the " + texts.long_name, texts.height,
        [](const Sea& s) { return height(of(s)); }},
       {texts.name + "_period", "s", standard + "mean_period", "mean period Tm-1,0 of the " + texts.long_name,
        texts.period, [](const Sea& s) { return period(of(s)); }},
       {texts.name + "_direction", "degree", standard + "from_direction",
        "mean direction from which the " + texts.long_name + " comes, clockwise from north", texts.direction,
        [](const Sea& s) { return direction(of(s)); }}});
}

void add_systems(std::vector<Product>& table) {
  add_system<[](const Sea& s) { return s.wind_sea; }>(
      table, {"wind_sea", "wind", "wind sea", "`4 sqrt(m0)` of the wind sea [m]; 0 where there is none",
              "its Tm-1,0 [s]", "its mean direction"});
  add_system<[](const Sea& s) { return s.swell; }>(
      table, {"swell", "swell", "whole swell",
              "of all swell together; `wind_sea_height` and this add up to Hs in squares", "", ""});
  add_system<[](const Sea& s) { return s.swells[0]; }>(
      table, {"swell_1", "primary_swell", "highest swell", "of the highest swell", "", ""});
  add_system<[](const Sea& s) { return s.swells[1]; }>(
      table, {"swell_2", "secondary_swell", "second swell", "of the second", "", ""});
  add_system<[](const Sea& s) { return s.swells[2]; }>(
      table, {"swell_3", "tertiary_swell", "third swell", "of the third", "", ""});
}

std::vector<Product> make_products() {
  std::vector<Product> table;
  add_moments(table);
  add_transports(table);
  add_systems(table);
  // Not for files: it warns of a spectrum that begins too high.
  add(table, Need::moments,
      {{"peak_bin", "1", "", "frequency of the peak, counted from 0; -1 for a calm sea", "",
        [](const Sea& s) { return s.is_calm() ? -1. : s.peak; }}});
  table.back().variable.output = false;
  return table;
}

// A variable of the model that is no product of the spectrum alone.
struct Listed {
  fields::Variable variable;
  const char *heading, *definition;
};

Listed of_cells(const char* name, const char* units, const char* standard_name, const char* long_name,
                const char* heading, const char* definition, const char* cell_methods = "time: point") {
  return {{name, {"cell"}, units, standard_name, long_name, cell_methods, false, true}, heading, definition};
}

std::vector<Listed> others() {
  constexpr auto *surface = "At the surface", *medium = "The medium";
  std::vector<Listed> rows = {
      of_cells("largest_significant_height", "m", "sea_surface_wave_significant_height",
               "largest significant wave height since the start", "Over the time of a run",
               "the largest Hs of the initial sea and after each step of the sources since the start [m]",
               "time: maximum"),
      of_cells("friction_velocity", "m s-1", "magnitude_of_surface_friction_velocity_in_air",
               "friction velocity of the air", surface, "u* of the air [m s-1]"),
      of_cells("roughness_length", "m", "surface_roughness_length_for_momentum_in_air",
               "roughness length of the sea for the wind", surface, "of the sea for the wind [m]"),
      of_cells("eastward_stress", "Pa", "surface_downward_eastward_stress",
               "eastward stress of the wind on the sea", surface, "of the wind on the sea [Pa]"),
      of_cells("northward_stress", "Pa", "surface_downward_northward_stress",
               "northward stress of the wind on the sea", surface, ""),
      of_cells("eastward_wind", "m s-1", "eastward_wind", "eastward wind at 10 m", medium,
               "at 10 m, of the time of the record [m s-1]"),
      of_cells("northward_wind", "m s-1", "northward_wind", "northward wind at 10 m", medium, ""),
      of_cells("water_level", "m", "sea_surface_height_above_mean_sea_level",
               "water level above that of the depth", medium, "above that of `depth` [m]"),
      of_cells("eastward_current", "m s-1", "eastward_sea_water_velocity", "eastward current", medium,
               "[m s-1]"),
      of_cells("northward_current", "m s-1", "northward_sea_water_velocity", "northward current", medium, ""),
      of_cells("ice_fraction", "1", "sea_ice_area_fraction", "part of the cell under ice", medium,
               "part of the cell under ice"),
      of_cells("depth", "m", "sea_floor_depth_below_sea_surface", "water depth", medium,
               "in still water, once a file [m]", "")};
  rows.front().variable.restart = true;  // gathered over a run: a restart file holds it where it is written
  return rows;
}

std::vector<fields::Variable> make_variables() {
  std::vector<fields::Variable> rows = {{"action",
                                         {"cell", "frequency", "direction"},
                                         "m2 s2",
                                         "",
                                         "wave action density F/sigma over frequency and direction (radians)",
                                         "",
                                         true,
                                         false}};
  for (const auto& product : wave_products()) rows.push_back(product.variable);
  for (const auto& other : others()) rows.push_back(other.variable);
  return rows;
}

}  // namespace

const std::vector<Product>& wave_products() {
  static const std::vector<Product> table = make_products();
  return table;
}

const Product& product_named(const std::string& name) {
  const auto& table = wave_products();
  const auto found = std::ranges::find(table, name, [](const Product& p) { return p.variable.name; });
  std::string names;
  for (const auto& each : table) names += (names.empty() ? "" : ", ") + each.variable.name;
  require<ConfigError>(found != table.end(), "There is no product '{}'. There are: {}.", name, names);
  return *found;
}

const std::vector<fields::Variable>& wave_variables() {
  static const std::vector<fields::Variable> table = make_variables();
  return table;
}

std::vector<options::Choice> wave_variable_choices() {
  static constexpr const char* headings[] = {"From the moments", "What waves carry", "Wind sea and swells"};
  std::vector<options::Choice> choices;
  for (const auto& product : wave_products()) {
    if (!product.variable.output) continue;
    choices.push_back({.name = product.variable.name,
                       .text = product.definition,
                       .goes_with = {headings[static_cast<int>(product.need)]}});
  }
  for (const auto& other : others())
    choices.push_back({.name = other.variable.name, .text = other.definition, .goes_with = {other.heading}});
  return choices;
}

}  // namespace halcyon::wave
