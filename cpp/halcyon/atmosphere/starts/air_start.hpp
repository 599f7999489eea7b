#pragma once

#include <functional>
#include <string>
#include <vector>

#include "halcyon/atmosphere/air/air.hpp"
#include "halcyon/atmosphere/planet.hpp"
#include "halcyon/atmosphere/starts/table.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::atmosphere {

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

/// A start by its name, one of `air_start_names()`. Jablonowski and Williamson (2006, Q. J. R. Meteorol. Soc.
/// 132); tests 2-0, 2-1, 2-2 and 3-1 of DCMIP-2012 (Ullrich, Jablonowski, Kent, Lauritzen, Nair and Taylor
/// 2012, Dynamical Core Model Intercomparison Project test case document); a start at rest for the forcing of
/// Held and Suarez (1994, Bull. Am. Meteorol. Soc. 75).
/// Winds balance on the planet that is given; sizes on the ground do not scale with it.
/// @param options that differ from those of `air_start_options`
/// @throws ConfigError for what is not there and for values that make no sense
AirStart make_air_start(const std::string& name, const StartOptions& options, const Planet& planet,
                        const Air& air);

std::vector<std::string> air_start_names();
/// The options of a start, with their defaults.
StartOptions air_start_options(const std::string& name);
/// The planet for which a start is meant: several tests take a small one, or one that does not turn.
Planet air_start_planet(const std::string& name);

// The starts one by one; options are complete.
AirStart baroclinic_wave(const StartOptions& options, const Planet& planet, const Air& air);
AirStart resting_mountain(const StartOptions& options, const Planet& planet, const Air& air);
AirStart mountain_waves(const StartOptions& options, const Planet& planet, const Air& air);
AirStart gravity_wave(const StartOptions& options, const Planet& planet, const Air& air);
AirStart held_suarez(const StartOptions& options, const Planet& planet, const Air& air);

}  // namespace halcyon::atmosphere
