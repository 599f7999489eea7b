#pragma once

#include <span>

namespace halcyon::wave {

/// A tropical cyclone at one moment.
struct Vortex {
  double latitude = 0, longitude = 0;  ///< of the centre [rad]
  double radius = 0;                   ///< of maximum wind, R [m]
  double shape = 0;                    ///< Holland's B
  double peak = 0;                     ///< gradient wind of the symmetric vortex at R [m s-1]
  double eastward = 0, northward = 0;  ///< motion of the storm that the wind field feels [m s-1]
};

/// From the gradient wind of the vortex to the wind at 10 m.
struct SurfaceWind {
  double factor = 0.9;          ///< 10-m wind over gradient wind, where R is the storm's
  double inflow = 0;            ///< constant angle towards the centre [rad]; unused when `inflow_profile`
  bool inflow_profile = false;  ///< the angle varies with r / R: Phadke et al. (2003), eq. 11
  bool asymmetry = true;        ///< add the storm's motion: Phadke et al. (2003), eq. 12
};

/// Coriolis parameter f = 2 Omega sin(latitude) [s-1]; negative in the southern hemisphere.
double coriolis(double latitude);

/// Gradient wind speed of Holland (1980, Mon. Weather Rev. 108, 1212-1218, eq. 4) [m s-1]:
///   V(r) = sqrt(Vc^2 s exp(1 - s) + (r f / 2)^2) - r |f| / 2,   s = (R / r)^B,   Vc^2 = B dp / (rho e).
/// Vc^2 is taken as V^2 + V R |f| of V = `vortex.peak`, which makes V(R) the peak exactly.
/// @param r [m] distance from the centre; zero gives zero
double gradient_wind(double r, const Vortex& vortex);

/// Weight c(r) of the storm's motion in the wind (Phadke et al. 2003, Ocean Eng. 30, 553-578, eq. 12):
/// c = R r / (R^2 + r^2), one half at R.
double motion_weight(double r, double radius);

/// Angle [rad] by which the wind turns towards the centre. The profile of Phadke et al. (2003, eq. 11) grows
/// from 10 degrees at the centre to 20 at R and 25 beyond 1.2 R.
double inflow_angle(double r, double radius, const SurfaceWind& surface);

/// Wind at 10 m of a moving vortex; each cell by itself. It turns anticlockwise north of the equator,
/// clockwise south of it, and is calm at the centre.
/// @param latitudes, longitudes [rad] (cell)
/// @param u, v [m s-1] (cell) eastward and northward wind, written
void holland_wind(const Vortex& vortex, const SurfaceWind& surface, std::span<const double> latitudes,
                  std::span<const double> longitudes, std::span<double> u, std::span<double> v);

}  // namespace halcyon::wave
