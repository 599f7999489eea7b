#pragma once

#include "halcyon/base/constants.hpp"

namespace halcyon::atmosphere {

/// The sphere on which the air moves.
struct Planet {
  double radius = kEarthRadius;      ///< [m]
  double rotation = kEarthRotation;  ///< [rad s-1]
  double gravity = kGravity;         ///< [m s-2]
};

}  // namespace halcyon::atmosphere
