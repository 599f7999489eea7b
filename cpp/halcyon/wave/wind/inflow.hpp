#pragma once

#include "halcyon/wave/wind/vortex.hpp"

namespace halcyon::wave {

/// How the inflow angle towards the centre varies.
enum class InflowProfile {
  constant,       ///< one angle everywhere
  phadke,         ///< with r / R: see phadke_inflow
  zhang_uhlhorn,  ///< with r / R, azimuth, peak wind and motion: see zhang_uhlhorn_inflow
};

struct Inflow {
  InflowProfile profile = InflowProfile::constant;
  double angle = 0;  ///< of the profile `constant` [rad]
};

/// Returns the inflow angle [rad] of Phadke et al. (2003, Ocean Eng. 30, 553-578, eq. 11): it increases from
/// 10 degrees at the centre to 20 degrees at R and 25 degrees beyond 1.2 R.
/// @param x r / R
double phadke_inflow(double x);

/// Returns the inflow angle [rad] of the storm-relative wind at 10 m of Zhang and Uhlhorn (2012, Mon. Weather
/// Rev. 140, 3587-3605, eqs. 9-12): with x = r / R, the peak wind V and the speed of the storm c [m s-1],
///   a = A (1 + (0.04 x + 0.05 c + 0.14) cos(theta - P)),   A = 0.90 x + 0.09 V + 14.33 degrees,
///   P = 6.88 x - 9.60 c + 85.31 degrees,
/// where theta is the azimuth from the direction of motion, clockwise in the northern hemisphere,
/// anticlockwise in the southern. x is limited to 12 and c to 10 m s-1, about the range of their dropsondes.
/// @param peak [m s-1] largest wind at 10 m
/// @param position of the cell relative to the centre
/// @param eastward, northward [m s-1] velocity of the storm
/// @param rotation +1 in the northern, -1 in the southern hemisphere
double zhang_uhlhorn_inflow(double x, double peak, const RelativePosition& position, double eastward,
                            double northward, double rotation);

/// Returns the inflow angle [rad] of a profile; parameters as of zhang_uhlhorn_inflow.
double inflow_angle(const Inflow& inflow, double x, double peak, const RelativePosition& position,
                    double eastward, double northward, double rotation);

}  // namespace halcyon::wave
