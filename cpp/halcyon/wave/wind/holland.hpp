#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/wave/wind/inflow.hpp"
#include "halcyon/wave/wind/vortex.hpp"
#include "halcyon/wave/wind/wind.hpp"

namespace halcyon::wave {

/// A tropical cyclone at one moment.
struct Vortex {
  double latitude = 0, longitude = 0;  ///< position of the centre [rad]
  double radius = 0;                   ///< radius of maximum wind R [m]
  double shape = 0;                    ///< Holland's B [1]
  double peak = 0;                     ///< gradient wind of the symmetric vortex at R [m s-1]
  double eastward = 0, northward = 0;  ///< translation velocity of the storm [m s-1], added to the wind
};

/// Conversion of the gradient wind of a vortex into the wind at 10 m.
struct SurfaceWind {
  double factor = 0.9;    ///< 10-m wind over gradient wind
  Inflow inflow;          ///< inflow angle
  bool asymmetry = true;  ///< whether the storm's motion is added: Phadke et al. (2003), eq. 12
};

/// Returns the gradient wind speed of Holland (1980, Mon. Weather Rev. 108, 1212-1218, eq. 4) [m s-1]:
///   V(r) = sqrt(Vc^2 s exp(1 - s) + (r f / 2)^2) - r |f| / 2,   s = (R / r)^B,   Vc^2 = B dp / (rho e).
/// dp and rho are not needed: Vc^2 = V(R)^2 + V(R) R |f| with V(R) = `vortex.peak`.
/// @param r [m] distance from the centre; the wind at r = 0 is 0
double gradient_wind(double r, const Vortex& vortex);

/// Computes the wind at 10 m of a moving vortex, with anticlockwise rotation in the northern hemisphere and
/// clockwise rotation in the southern; the wind at the centre is 0.
/// @param latitudes, longitudes [rad] (cell)
/// @param u, v [m s-1] (cell) eastward and northward wind, written
void holland_wind(const Vortex& vortex, const SurfaceWind& surface, std::span<const double> latitudes,
                  std::span<const double> longitudes, std::span<double> u, std::span<double> v);

/// A moving Holland vortex, interpolated linearly in time between records (longitude along the shorter arc).
class VortexWind final : public Wind {
 public:
  /// @param times_s [s] of the records since the start of the run, increasing
  /// @throws InputError for no record, an invalid value, or times that do not increase
  VortexWind(std::vector<double> times_s, std::vector<Vortex> records, SurfaceWind surface);
  void compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
               std::span<double> u, std::span<double> v) const override;

  /// Returns the vortex at a time. @throws InputError outside the times of the records
  Vortex vortex(double time_s) const;

 private:
  RecordTimes times_;
  std::vector<Vortex> records_;
  SurfaceWind surface_;
};

/// A best-track record, from which Holland parameters are estimated.
struct StormRecord {
  double latitude = 0;        ///< [rad]
  double peak = 0;            ///< gradient wind of the symmetric vortex at R [m s-1]
  double deficit = 0;         ///< ambient pressure less central pressure [Pa]; 0 if unknown
  double motion = 0;          ///< translation speed of the storm [m s-1], added to the wind; 0: not added
  double surface_factor = 0;  ///< 10-m wind over gradient wind
  double air_density = 0;     ///< [kg m-3]
};

/// The distance from the centre at which the wind has a given speed on one side of the storm (R34: 34 kt).
struct WindRadius {
  double speed = 0;   ///< at 10 m [m s-1]
  double radius = 0;  ///< [m]
  double side = 0;    ///< +1 where the storm's motion increases the wind, -1 where it reduces the wind
};

inline constexpr double kSmallestShape = 0.8, kLargestShape = 2.5;  ///< bounds of Holland's B
/// Bounds [m] of the fitted radius of maximum wind.
inline constexpr double kSmallestRadius = 8e3, kLargestRadius = 200e3;

/// Returns Holland's B, limited to 0.8 .. 2.5: B = (V^2 + V R |f|) rho e / dp, with V the wind at R (Holland
/// 1980, eq. 4 at r = R); without a pressure deficit dp, regression_shape.
/// @param radius R [m]
double holland_shape(const StormRecord& record, double radius);

/// Returns B = 1.833 - 0.326 sqrt(|f| R), limited to 0.8 .. 2.5: Vickery and Wadhera (2008, J. Appl.
/// Meteorol. Climatol. 47, 2497-2517, eq. 23). @param latitude [rad]  @param radius of maximum wind [m]
double regression_shape(double latitude, double radius);

/// Returns the distance [m] >= R from the centre at which the 10-m wind on one side (see WindRadius) falls to
/// `speed` [m s-1]; 0 if the wind is weaker everywhere.
/// @param radius R [m]
double wind_radius(const StormRecord& record, double radius, double speed, double side);

/// Returns the radius of maximum wind [m], between 8 and 200 km, that minimizes the sum of U^2
/// ln^2(wind_radius / observed radius) over the observed radii, with U the wind speed of a radius; the weight
/// U^2 is proportional to the wind stress. A radius is ignored if the modelled wind does not reach its U;
/// returns 0 if no U is reached.
double fit_radius(const StormRecord& record, std::span<const WindRadius> observed);

}  // namespace halcyon::wave
