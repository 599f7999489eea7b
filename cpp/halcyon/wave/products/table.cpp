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

using Value = double (*)(const Sea&);

Product product(const std::string& name, const char* units, const std::string& standard_name,
                const std::string& long_name, Value value, Need need = Need::moments) {
  return {{name, {"cell"}, units, standard_name, long_name, "time: point", false, true}, need, value};
}

void add_heights(std::vector<Product>& rows) {
  rows.push_back(product("significant_height", "m", "sea_surface_wave_significant_height",
                         "significant wave height", [](const Sea& s) { return height(s.all); }));
  rows.push_back(product("expected_maximum_height", "m", "sea_surface_wave_maximum_height",
                         "expected height of the highest wave within 20 minutes",
                         [](const Sea& s) { return s.is_calm() ? 0 : highest_wave(s); }));
  rows.push_back(product("steepness", "1", "", "steepness 2 pi Hs / (g Tm02^2)", [](const Sea& s) {
    return s.is_calm() ? kNone : kTwoPi * height(s.all) * s.m2 / (kGravity * s.all.m0);
  }));
}

void add_periods(std::vector<Product>& rows) {
  const std::string mean = "sea_surface_wave_mean_period_from_variance_spectral_density_";
  rows.push_back(product("mean_period", "s", mean + "inverse_frequency_moment", "mean wave period Tm-1,0",
                         [](const Sea& s) { return period(s.all); }));
  rows.push_back(product("mean_period_01", "s", mean + "first_frequency_moment", "mean wave period Tm01",
                         [](const Sea& s) { return s.is_calm() ? kNone : s.all.m0 / s.m1; }));
  rows.push_back(product("mean_period_02", "s", mean + "second_frequency_moment", "mean wave period Tm02",
                         [](const Sea& s) { return s.is_calm() ? kNone : std::sqrt(s.all.m0 / s.m2); }));
  rows.push_back(product("peak_period", "s", "sea_surface_wave_period_at_variance_spectral_density_maximum",
                         "peak wave period",
                         [](const Sea& s) { return s.is_calm() ? kNone : 1 / s.peak_frequency; }));
}

void add_directions(std::vector<Product>& rows) {
  const std::string wave = "sea_surface_wave_", at_peak = "_at_variance_spectral_density_maximum";
  rows.push_back(product("mean_direction", "degree", wave + "from_direction",
                         "mean direction from which waves come, clockwise from north",
                         [](const Sea& s) { return direction(s.all); }));
  rows.push_back(
      product("peak_direction", "degree", wave + "from_direction" + at_peak,
              "direction from which the waves of the peak come, clockwise from north",
              [](const Sea& s) { return s.is_calm() ? kNone : direction_from(s.peak_east, s.peak_north); }));
  rows.push_back(product(
      "spreading", "degree", wave + "directional_spread", "directional spreading",
      [](const Sea& s) { return s.is_calm() ? kNone : spreading(s.all.east, s.all.north, s.resolved); }));
  rows.push_back(product("peak_spreading", "degree", wave + "directional_spread" + at_peak,
                         "directional spreading of the waves of the peak", [](const Sea& s) {
                           return s.is_calm() ? kNone : spreading(s.peak_east, s.peak_north, s.peak_sum);
                         }));
}

void add_transports(std::vector<Product>& rows) {
  const auto add = [&rows](const char* name, const char* units, const char* standard_name,
                           const char* long_name, Value value) {
    rows.push_back(product(name, units, standard_name, long_name, value, Need::transports));
  };
  add("eastward_stokes_drift", "m s-1", "sea_surface_wave_stokes_drift_eastward_velocity",
      "eastward Stokes drift at the surface", [](const Sea& s) { return s.drift_east; });
  add("northward_stokes_drift", "m s-1", "sea_surface_wave_stokes_drift_northward_velocity",
      "northward Stokes drift at the surface", [](const Sea& s) { return s.drift_north; });
  add("eastward_energy_flux", "W m-1", "", "eastward flux of wave energy, through all of the water's depth",
      [](const Sea& s) { return s.flux_east; });
  add("northward_energy_flux", "W m-1", "", "northward flux of wave energy, through all of the water's depth",
      [](const Sea& s) { return s.flux_north; });
}

// Height, mean period and direction of a system of waves; `of` takes it from a sea.
template <auto of>
void add_system(std::vector<Product>& rows, const std::string& name, const std::string& standard_name,
                const std::string& long_name) {
  const std::string standard = "sea_surface_" + standard_name + "_wave_";
  rows.push_back(product(
      name + "_height", "m", standard + "significant_height", "significant height of the " + long_name,
      [](const Sea& s) { return height(of(s)); }, Need::systems));
  rows.push_back(product(
      name + "_period", "s", standard + "mean_period", "mean period Tm-1,0 of the " + long_name,
      [](const Sea& s) { return period(of(s)); }, Need::systems));
  rows.push_back(product(
      name + "_direction", "degree", standard + "from_direction",
      "mean direction from which the " + long_name + " comes, clockwise from north",
      [](const Sea& s) { return direction(of(s)); }, Need::systems));
}

// Not for files: it warns of a spectrum that begins too high.
Product peak_bin() {
  auto row = product("peak_bin", "1", "", "frequency of the peak, counted from 0; -1 for a calm sea",
                     [](const Sea& s) { return s.is_calm() ? -1. : s.peak; });
  row.variable.output = false;
  return row;
}

std::vector<Product> make_table() {
  std::vector<Product> rows;
  add_heights(rows);
  add_periods(rows);
  add_directions(rows);
  add_transports(rows);
  add_system<[](const Sea& s) { return s.wind_sea; }>(rows, "wind_sea", "wind", "wind sea");
  add_system<[](const Sea& s) { return s.swell; }>(rows, "swell", "swell", "whole swell");
  add_system<[](const Sea& s) { return s.swells[0]; }>(rows, "swell_1", "primary_swell", "highest swell");
  add_system<[](const Sea& s) { return s.swells[1]; }>(rows, "swell_2", "secondary_swell", "second swell");
  add_system<[](const Sea& s) { return s.swells[2]; }>(rows, "swell_3", "tertiary_swell", "third swell");
  rows.push_back(peak_bin());
  return rows;
}

}  // namespace

const std::vector<Product>& wave_products() {
  static const std::vector<Product> table = make_table();
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

}  // namespace halcyon::wave
