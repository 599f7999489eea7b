#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::atmosphere {

/// Values of options by their names; angles in radians.
using StartOptions = std::map<std::string, double>;

/// A state of shallow water from which a run starts, by the point of the unit sphere.
struct Start {
  std::function<double(Vector3)> surface;                               ///< [m], of the fluid
  std::function<double(Vector3)> ground = [](Vector3) { return 0.0; };  ///< [m]
  std::function<Vector3(Vector3)> wind;                                 ///< [m s-1], along the sphere
  Vector3 axis{0, 0, 1};                                                ///< around which the planet turns
  bool wind_stays = false;  ///< it carries the fluid and is not changed by it
};

/// A state of the air from which a run starts, by the point of the unit sphere and the pressure [Pa]. It is
/// in hydrostatic balance: the geopotential at a pressure is that of the ground plus the integral of R T d(ln
/// p) from there to the surface's pressure.
struct AirStart {
  std::function<double(Vector3)> ground_geopotential = [](Vector3) { return 0.0; };          ///< [m2 s-2]
  std::function<double(Vector3)> surface_pressure;                                           ///< [Pa]
  std::function<double(Vector3, double)> temperature;                                        ///< [K]
  std::function<Vector3(Vector3, double)> wind = [](Vector3, double) { return Vector3{}; };  ///< [m s-1]
  std::function<double(Vector3, double)> tracer;  ///< [kg kg-1]; empty where the start has none
};

/// Pressure [Pa] at geopotential 0, at the equator where it differs, of all starts.
inline constexpr double kSeaLevelPressure = 1e5;

/// A start: it is declared once, in a file of this folder, by a function that starts.cpp names. Its options
/// are those of the case file, in that order, first or later a text `type` with its name; angles are in
/// degrees there.
template <class Made, class... Settings>
struct StartKind : options::Choice {
  /// @param options complete, and finite
  Made (*make)(const StartOptions& options, const Settings&... settings);
  StartOptions more = {};  ///< options that only programs set, with their defaults
  Planet planet = {};      ///< for which it is meant

  /// The default of every option.
  StartOptions defaults() const;
};
using ShallowWaterStartKind = StartKind<Start, Planet>;
using AirStartKind = StartKind<AirStart, Planet, Air>;

/// Those without levels.
const std::vector<ShallowWaterStartKind>& shallow_water_starts();
/// Those with levels.
const std::vector<AirStartKind>& air_starts();

/// A start by its name. Winds balance on the planet that is given; sizes on the ground do not scale with it.
/// @param options that differ from the defaults
/// @throws ConfigError for what is not there and for values that make no sense
Start make_start(const std::string& name, const StartOptions& options, const Planet& planet);
AirStart make_air_start(const std::string& name, const StartOptions& options, const Planet& planet,
                        const Air& air);

/// An option by which a start divides.
/// @throws ConfigError where it is not above 0
double positive(const StartOptions& options, const std::string& option);
/// The option `type` of a start, which is its name.
options::Option start_type(const char* name, const char* text);
/// A planet that does not turn, smaller than the Earth by a factor.
Planet still_planet(double factor);

}  // namespace halcyon::atmosphere
