#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/wind/inflow.hpp"
#include "halcyon/wave/wind/vortex.hpp"
#include "halcyon/wave/wind/wind.hpp"

namespace halcyon::wave {

/// A tropical cyclone at one moment, whose wind speed is tabulated over azimuth and distance.
///
/// The distance r is scaled in each azimuth by two radii of the table: x = r / inner within the inner radius,
/// x = 1 + ln(r / inner) / ln(outer / inner) beyond. So the interpolation of two records in time moves the
/// radius of maximum wind and the size of the storm.
struct PolarVortex {
  double latitude = 0, longitude = 0;  ///< position of the centre [rad]
  double radius = 0;                   ///< radius of maximum wind R [m]
  double peak = 0;                     ///< largest wind at 10 m [m s-1]
  double eastward = 0, northward = 0;  ///< velocity of the storm [m s-1]
  /// Radii [m] (azimuth) that scale the distance; azimuths are equidistant, clockwise from north.
  std::vector<double> inner, outer;
  /// Wind speed at 10 m [m s-1] (azimuth, node) at x = node / kNodesPerUnit; 0 beyond the last node.
  std::vector<double> speed;
};

inline constexpr int kNodesPerUnit = 32;  ///< nodes of `PolarVortex::speed` in a unit of x

/// Direction of the wind of a PolarVortex.
struct PolarDirection {
  Inflow inflow;
  bool motion = true;  ///< whether the wind relative to the moving storm has the inflow angle
};

/// Returns the wind speed [m s-1] at a distance and an azimuth (clockwise from north).
/// @param r [m]  @param azimuth [rad]
double polar_speed(const PolarVortex& vortex, double r, double azimuth);

/// Computes the wind at 10 m. The speed is that of the table. Relative to the storm, which moves at w c with
/// the weight w(r) = motion_weight, limited to half the speed, the wind has the inflow angle.
/// @param latitudes, longitudes [rad] (cell)
/// @param u, v [m s-1] (cell) eastward and northward wind, written
void polar_wind(const PolarVortex& vortex, const PolarDirection& direction, std::span<const double> latitudes,
                std::span<const double> longitudes, std::span<double> u, std::span<double> v);

/// A moving vortex with tabulated wind speeds, interpolated linearly in time between records.
class PolarWind final : public Wind {
 public:
  /// @param times_s [s] of the records since the start of the run, increasing
  /// @throws InputError for no record, an invalid value, tables of other sizes, or times that do not increase
  PolarWind(std::vector<double> times_s, std::vector<PolarVortex> records, PolarDirection direction);
  void compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
               std::span<double> u, std::span<double> v) const override;

  /// Returns the vortex at a time. @throws InputError outside the times of the records
  PolarVortex vortex(double time_s) const;

 private:
  RecordTimes times_;
  std::vector<PolarVortex> records_;
  PolarDirection direction_;
};

}  // namespace halcyon::wave
