#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/products/partitions.hpp"
#include "halcyon/wave/products/sea.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// The wind sea and the swells of spectra, after WAVEWATCH III (Tolman 2009; Tracy et al. 2007): a system is
/// wind sea where more than a third of its variance is in bins that the wind drives, 1.7 U10 cos(theta -
/// theta_wind) > c. All others are swell; the highest of them are told apart, unless they are below 5 cm.
class SeaSystems {
 public:
  explicit SeaSystems(const SpectralGrid& grid);

  /// Adds the systems to a sea.
  /// @param density F [m2 s] (frequency, direction)  @param wavenumber [m-1] (frequency)
  /// @param eastward_wind, northward_wind at 10 m [m s-1]
  void add(std::span<const double> density, std::span<const float> wavenumber, double eastward_wind,
           double northward_wind, Sea& sea);

 private:
  struct Found {
    int peak;
    System system;
    double driven = 0;  ///< variance [m2] of bins that the wind drives
  };

  void collect(std::span<const double> density, std::span<const float> wavenumber, double eastward_wind,
               double northward_wind);
  Found& found_at(int peak);

  SpectralGrid grid_;
  Partitions partitions_;
  std::vector<double> sine_, cosine_;
  std::vector<int> place_;  ///< of a system in found_, by the bin of its peak; -1 for none
  std::vector<Found> found_;
};

}  // namespace halcyon::wave
