#pragma once

#include "halcyon/base/constants.hpp"
#include "halcyon/base/lanes.hpp"
#include "halcyon/base/power.hpp"
#include "halcyon/physics/halcyon_physics.h"

/// What schemes with water have in common. Only their source files may include this header.
namespace halcyon::physics {

using Doubles = Lanes<double>;

/// Latent heat of vaporization L [J kg-1] (DCMIP2016 test case document: Ullrich et al. 2016)
inline constexpr double kLatentHeat = 2.5e6;

/// Numbers of the tracers of water.
struct WaterTracers {
  int vapour, cloud, rain;

  explicit WaterTracers(const halcyon_columns& c)
      : vapour(halcyon_tracer(&c, "water_vapour")),
        cloud(halcyon_tracer(&c, "cloud_water")),
        rain(halcyon_tracer(&c, "rain_water")) {}
  bool are_there() const { return vapour >= 0 && cloud >= 0 && rain >= 0; }
};

/// Access to kLanes columns of a block, from column `first` on.
struct ColumnLanes {
  const halcyon_columns& c;
  std::size_t first;

  Doubles get(const double* values, int row = 0) const { return load(values + at(row)); }
  void put(double* values, int row, Doubles lanes) const { store(values + at(row), lanes); }
  /// The row of a tracer at a level.
  int tracer_row(int tracer, int level) const { return tracer * c.n_levels + level; }
  Doubles tracer(int tracer, int level) const { return get(c.tracers, tracer_row(tracer, level)); }
  Doubles water(const WaterTracers& t, int level) const {
    return tracer(t.vapour, level) + tracer(t.cloud, level) + tracer(t.rain, level);
  }
  /// Mass of air with its water [kg m-2]
  Doubles mass(int level) const {
    return (get(c.interface_pressure, level + 1) - get(c.interface_pressure, level)) * (1 / c.gravity);
  }
  Doubles thickness(int level) const {
    return (get(c.interface_geopotential, level) - get(c.interface_geopotential, level + 1)) *
           (1 / c.gravity);
  }

 private:
  std::size_t at(int row) const { return static_cast<std::size_t>(row) * c.n_columns + first; }
};

}  // namespace halcyon::physics
