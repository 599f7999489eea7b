#pragma once

#include "halcyon/base/constants.hpp"

namespace halcyon::spectral {

/// The sphere on which the fluid moves.
struct Planet {
  double radius = kEarthRadius;      ///< a [m]
  double rotation = kEarthRotation;  ///< Omega [rad s-1]
  double gravity = kGravity;         ///< g [m s-2]
};

}  // namespace halcyon::spectral
