#pragma once

#include <cstddef>
#include <span>

namespace halcyon::wave {

/// A source of the 10-m wind at given positions and times of a run.
class Wind {
 public:
  virtual ~Wind() = default;
  /// Computes the wind at a time at the given positions.
  /// @param time_s [s] since the start of the run
  /// @param latitudes, longitudes [rad] (cell)
  /// @param u, v [m s-1] (cell) eastward and northward wind, written
  /// @throws InputError if the source does not cover the time
  virtual void compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
                       std::span<double> u, std::span<double> v) const = 0;
};

class ConstantWind final : public Wind {
 public:
  /// @param eastward, northward [m s-1]
  /// @throws InputError when a component is not finite
  ConstantWind(double eastward, double northward);
  void compute(double time_s, std::span<const double> latitudes, std::span<const double> longitudes,
               std::span<double> u, std::span<double> v) const override;

 private:
  double eastward_, northward_;
};

/// Returns the first cell where u or v is not finite, or -1.
std::ptrdiff_t first_not_finite(std::span<const double> u, std::span<const double> v);

}  // namespace halcyon::wave
