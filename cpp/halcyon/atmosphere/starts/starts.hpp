#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::atmosphere {

/// Values of options by name; angles in radians.
using StartOptions = std::map<std::string, double>;

/// An initial state of shallow water, as functions of a point on the unit sphere.
struct Start {
  std::function<double(Vector3)> surface;                                  ///< height of the free surface [m]
  std::function<double(Vector3)> orography = [](Vector3) { return 0.0; };  ///< height [m]
  std::function<Vector3(Vector3)> wind;                                    ///< [m s-1], tangential
  Vector3 axis{0, 0, 1};                                                   ///< axis of the planet's rotation
  bool has_fixed_wind = false;  ///< pure advection: the wind is prescribed
};

/// An initial state of the air, as functions of a point on the unit sphere and of pressure [Pa], in
/// hydrostatic balance: the geopotential at pressure p is the surface geopotential plus the integral of R T
/// d(ln p) from p to the surface pressure; with water vapour, T is here the virtual temperature. Pressures
/// are those of the air with its water.
struct AirStart {
  std::function<double(Vector3)> ground_geopotential = [](Vector3) { return 0.0; };          ///< [m2 s-2]
  std::function<double(Vector3)> surface_pressure;                                           ///< [Pa]
  std::function<double(Vector3, double)> temperature;                                        ///< [K]
  std::function<Vector3(Vector3, double)> wind = [](Vector3, double) { return Vector3{}; };  ///< [m s-1]
  std::function<double(Vector3, double)> tracer;  ///< [kg kg-1]; empty if the start has no tracer
  /// Mass of water vapour in a unit of mass of moist air [kg kg-1]; empty for dry air.
  std::function<double(Vector3, double)> specific_humidity;
};

/// Pressure [Pa] at geopotential 0 in all starts but that of the tropical cyclone; where this pressure
/// varies, its value at the equator.
inline constexpr double kSeaLevelPressure = 1e5;

/// exp(-(r/R)^2), r the great-circle distance from 20 E 40 N, R = a/10: the perturbation of baroclinic waves.
double baroclinic_bump(Vector3 p);
/// The unit vector to the east.
Vector3 eastward(Vector3 p);

/// The height z [m] where ln p has a value, by Newton's method.
/// @param log_pressure log_pressure(z)  @param slope slope(z) = -d(ln p)/dz [m-1]
template <class LogPressure, class Slope>
double height_of(double value, const LogPressure& log_pressure, const Slope& slope) {
  double z = 0;
  for (int i = 0; i < 50; ++i) {
    const double change = (log_pressure(z) - value) / slope(z);
    z += change;
    if (std::abs(change) < 1e-9) break;
  }
  return z;
}

/// A registry entry of a start, returned by a function that is defined in a file of this folder and listed in
/// starts.cpp. `options` are the options of the case file, in the order of the case file, including `type`,
/// the name of the start; angles in degrees.
template <class Made, class... Settings>
struct StartEntry : options::RegistryEntry {
  /// Makes the start. @param options values of all options, finite
  Made (*make)(const StartOptions& options, const Settings&... settings);
  StartOptions api_only_defaults = {};  ///< defaults of options that only the API has, not case files
  Planet planet = {};                   ///< default planet of this start

  /// Defaults of all options.
  StartOptions defaults() const;
};
using ShallowWaterStartEntry = StartEntry<Start, Planet>;
using AirStartEntry = StartEntry<AirStart, Planet, Air>;

const std::vector<ShallowWaterStartEntry>& shallow_water_starts();
/// Starts of equation sets with levels.
const std::vector<AirStartEntry>& air_starts();

/// Makes a named start. Winds are balanced on the given planet; sizes do not scale with its radius.
/// @param options values that differ from the defaults
/// @throws ConfigError for unknown names and invalid values
Start make_start(const std::string& name, const StartOptions& options, const Planet& planet);
AirStart make_air_start(const std::string& name, const StartOptions& options, const Planet& planet,
                        const Air& air);

/// Returns the value of an option. @throws ConfigError if the value is not positive
double positive(const StartOptions& options, const std::string& option);
/// The option `type` of a start; its value is the name of the start.
options::Option start_type(const char* name, const char* text);
/// @throws ConfigError if the planet of a start that is balanced only without rotation rotates
void require_no_rotation(const Planet& planet, const char* start);
/// A non-rotating planet with the Earth's radius divided by a factor.
Planet nonrotating_planet(double factor);

}  // namespace halcyon::atmosphere
