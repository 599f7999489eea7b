#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/wave/wind/holland.hpp"

namespace halcyon::wave {

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

}  // namespace halcyon::wave
