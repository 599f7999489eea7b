#pragma once

#include <span>

#include "halcyon/wave/wind/holland.hpp"

namespace halcyon::wave {

/// What a best track says of a storm at one moment, to find its Holland parameters from.
struct StormRecord {
  double latitude = 0;        ///< [rad]
  double peak = 0;            ///< gradient wind of the symmetric vortex at R [m s-1]
  double deficit = 0;         ///< ambient less central pressure [Pa]; 0 when not known
  double motion = 0;          ///< speed of the storm that the wind field feels [m s-1]
  double surface_factor = 0;  ///< 10-m wind over gradient wind
  double air_density = 0;     ///< [kg m-3]
};

/// How far a wind of a speed reaches on one side of the storm.
struct WindRadius {
  double speed = 0;   ///< at 10 m [m s-1]
  double radius = 0;  ///< [m]
  double side = 0;    ///< +1 where the storm's motion adds to the wind, -1 where it takes from it
};

inline constexpr double kSmallestShape = 0.8, kLargestShape = 2.5;
inline constexpr double kSmallestRadius = 8e3, kLargestRadius = 200e3;  ///< of maximum wind, in a fit [m]

/// Holland's B, kept within 0.8 to 2.5 [m as R]: B = (V^2 + V R |f|) rho e / dp, from the wind at R (Holland
/// 1980, eq. 4 at r = R); without a pressure deficit the regression of Vickery and Wadhera (2008).
double holland_shape(const StormRecord& record, double radius);

/// B = 1.833 - 0.326 sqrt(|f| R), within 0.8 to 2.5: Vickery and Wadhera (2008, J. Appl. Meteorol. Climatol.
/// 47, 2497-2517, eq. 23). @param latitude [rad]  @param radius of maximum wind [m]
double regression_shape(double latitude, double radius);

/// The radius [m], R or beyond, where the wind at 10 m on one side falls to `speed`; 0 when it never reaches
/// it.
double outer_radius(const StormRecord& record, double radius, double speed, double side);

/// The radius of maximum wind [m] between 8 and 200 km for which the sum of U^2 ln^2(outer radius / given
/// radius) is least: the stronger a wind U, the more its radius counts, as the stress on the sea does. Radii
/// of winds that a side of the storm does not reach are left out.
/// @returns 0 when no radius is left to fit to
double fit_radius(const StormRecord& record, std::span<const WindRadius> given);

}  // namespace halcyon::wave
