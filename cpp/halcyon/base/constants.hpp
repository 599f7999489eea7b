#pragma once

#include <numbers>

namespace halcyon {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTwoPi = 2 * std::numbers::pi;
inline constexpr double kDegree = std::numbers::pi / 180;  ///< one degree [rad]
inline constexpr double kEarthRadius = 6371220;            ///< [m]
inline constexpr double kEarthRotation = 7.292e-5;         ///< [rad s-1]
inline constexpr double kGravity = 9.80616;                ///< [m s-2]
inline constexpr double kVapourGasConstant = 461.5;        ///< [J kg-1 K-1] (Ullrich et al. 2016, DCMIP2016)
inline constexpr double kAirDensity = 1.225;               ///< [kg m-3]
inline constexpr double kWaterDensity = 1025;              ///< [kg m-3]

}  // namespace halcyon
