#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/wind/vortex.hpp"
#include "halcyon/wave/wind/wind.hpp"

namespace halcyon::wave {

/// A tropical cyclone at one moment, in the variant of Holland's vortex of FVWAM (Pang et al. 2025).
struct FvwamVortex {
  double latitude = 0, longitude = 0;  ///< position of the centre [rad]
  double radius = 0;                   ///< radius of maximum wind R [m]
  double shape = 0;    ///< Holland's B [1]; in FVWAM 1.5 + (980 hPa - central pressure) / 120 hPa
  double deficit = 0;  ///< ambient pressure less central pressure dp [Pa]
  double eastward = 0, northward = 0;  ///< translation velocity Vt of the storm [m s-1]
};

/// Constants of the wind at 10 m.
struct FvwamSurface {
  double factor = 0.8;                ///< 10-m wind over gradient wind
  double inflow = 0.349065850398866;  ///< inflow angle [rad], 20 degrees
  double air_density = 1.293;         ///< rho [kg m-3]
  bool asymmetry = true;              ///< whether the storm's motion is added
};

/// A moving vortex with the wind at 10 m
///   U10 = exp(-pi/4 |r - R|/R) Vt + factor Vg,
///   Vg = sqrt(dp B/rho (R/r)^B exp(-(R/r)^B) + (r f/2)^2) - r |f|/2,  0 beyond 800 km,
/// with f at the cell, and angles around the centre in the plane of longitude and latitude. It turns
/// clockwise in the southern hemisphere, unlike in FVWAM. Between records the parameters are interpolated
/// linearly.
class FvwamWind final : public Wind {
 public:
  /// @param times_s [s] of the records since the start of the run, increasing
  /// @throws InputError for no record, an invalid value, or times that do not increase
  FvwamWind(std::vector<double> times_s, std::vector<FvwamVortex> records, FvwamSurface surface);
  void compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
               std::span<double> u, std::span<double> v) const override;
  /// Returns the vortex at a time. @throws InputError outside the times of the records
  FvwamVortex vortex(double time_s) const;

 private:
  RecordTimes times_;
  std::vector<FvwamVortex> records_;
  FvwamSurface surface_;
};

}  // namespace halcyon::wave
