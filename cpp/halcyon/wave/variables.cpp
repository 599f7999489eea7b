#include "halcyon/wave/variables.hpp"

namespace halcyon::wave {

using fields::Variable;

namespace {

Variable state(const char* name, const char* units, const char* long_name) {
  return {name, {"cell", "frequency", "direction"}, units, "", long_name, "", true, false};
}

Variable map(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "time: point", false, true};
}

Variable fixed(const char* name, const char* units, const char* standard_name, const char* long_name) {
  return {name, {"cell"}, units, standard_name, long_name, "", false, true};
}

std::vector<Variable> make_table() {
  return {
      state("action", "m2 s2", "wave action density F/sigma over frequency and direction (radians)"),
      map("significant_height", "m", "sea_surface_wave_significant_height", "significant wave height"),
      map("mean_period", "s",
          "sea_surface_wave_mean_period_from_variance_spectral_density_inverse_frequency_moment",
          "mean wave period Tm-1,0"),
      map("mean_period_01", "s",
          "sea_surface_wave_mean_period_from_variance_spectral_density_first_frequency_moment",
          "mean wave period Tm01"),
      map("mean_period_02", "s",
          "sea_surface_wave_mean_period_from_variance_spectral_density_second_frequency_moment",
          "mean wave period Tm02"),
      map("peak_period", "s", "sea_surface_wave_period_at_variance_spectral_density_maximum",
          "peak wave period"),
      map("mean_direction", "degree", "sea_surface_wave_from_direction",
          "mean direction from which waves come, clockwise from north"),
      map("eastward_wind", "m s-1", "eastward_wind", "eastward wind at 10 m"),
      map("northward_wind", "m s-1", "northward_wind", "northward wind at 10 m"),
      fixed("depth", "m", "sea_floor_depth_below_sea_surface", "water depth"),
  };
}

}  // namespace

const std::vector<Variable>& wave_variables() {
  static const std::vector<Variable> table = make_table();
  return table;
}

}  // namespace halcyon::wave
