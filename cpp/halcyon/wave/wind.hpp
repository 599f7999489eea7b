#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

/// The wind at 10 m that drives the waves, anywhere and at any time of a run.
class Wind {
 public:
  virtual ~Wind() = default;

  /// @param time_s [s] since the start of the run
  /// @param latitudes, longitudes [rad] (cell)
  /// @param u, v [m s-1] (cell) eastward and northward wind, written
  /// @throws InputError when the wind is not known at that time
  virtual void at(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                  std::span<double> u, std::span<double> v) const = 0;
};

/// The same wind everywhere and always.
class ConstantWind final : public Wind {
 public:
  /// @param eastward, northward [m s-1]
  /// @throws InputError when one of them is not finite
  ConstantWind(double eastward, double northward);

  void at(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
          std::span<double> u, std::span<double> v) const override;

 private:
  double eastward_, northward_;
};

/// A moving Holland vortex. Its centre and its parameters are linear in time between the records of a table
/// (in latitude and longitude, the short way round).
class VortexWind final : public Wind {
 public:
  /// @param times_s [s] of the records since the start of the run, increasing
  /// @throws InputError when there is no record, a value is not finite or not positive where it must be, or
  /// the times do not increase
  VortexWind(std::vector<double> times_s, std::vector<Vortex> records, SurfaceWind surface);

  void at(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
          std::span<double> u, std::span<double> v) const override;

  /// The vortex at a time. @throws InputError outside the table's times
  Vortex vortex(double time_s) const;

 private:
  std::vector<double> times_s_;
  std::vector<Vortex> records_;
  SurfaceWind surface_;
};

/// The first cell where u or v is not finite, or -1 where all is well.
std::ptrdiff_t first_not_finite(std::span<const double> u, std::span<const double> v);

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
