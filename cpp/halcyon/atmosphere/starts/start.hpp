#pragma once

#include <functional>
#include <string>
#include <vector>

#include "halcyon/atmosphere/planet.hpp"
#include "halcyon/atmosphere/starts/table.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::atmosphere {

/// A state of shallow water from which a run starts, by the point of the unit sphere.
struct Start {
  std::function<double(Vector3)> surface;                               ///< [m], of the fluid
  std::function<double(Vector3)> ground = [](Vector3) { return 0.0; };  ///< [m]
  std::function<Vector3(Vector3)> wind;                                 ///< [m s-1], along the sphere
  Vector3 axis{0, 0, 1};                                                ///< around which the planet turns
  bool wind_stays = false;  ///< it carries the fluid and is not changed by it
};

/// A start by its name, one of `start_names()`. Williamson et al. (1992, J. Comput. Phys. 102), test cases 1,
/// 2, 5 and 6; a thin layer that shows the instability of Hollingsworth et al. (1983), as Bell et al. (2017,
/// Q. J. R. Meteorol. Soc. 143) have it; the jet of Galewsky et al. (2004, Tellus A 56); two modons that
/// meet, as Lin et al. (2017, J. Adv. Model. Earth Syst. 9) have them.
/// @param options that differ from those of `start_options`; angles in radians
/// @throws ConfigError for what is not there and for values that are not finite
Start make_start(const std::string& name, const StartOptions& options, const Planet& planet);

std::vector<std::string> start_names();
/// The options of a start, with their defaults.
StartOptions start_options(const std::string& name);

// The starts one by one; options are complete.
Start cosine_bell(const StartOptions& options, const Planet& planet);
Start solid_rotation(const StartOptions& options, const Planet& planet);
Start thin_layer(const StartOptions& options, const Planet& planet);
Start mountain(const StartOptions& options, const Planet& planet);
Start rossby_haurwitz(const StartOptions& options, const Planet& planet);
Start barotropic_jet(const StartOptions& options, const Planet& planet);
Start modons(const StartOptions& options, const Planet& planet);

}  // namespace halcyon::atmosphere
