#pragma once

#include <vector>

#include "halcyon/wave/kernels/direction_rows.hpp"
#include "halcyon/wave/kernels/lanes.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Weights of sums over a spectrum: the trapezoidal rule, and beyond the last frequency a tail f^-5 in closed
/// form (WAMDI 1988).
struct MomentWeights {
  explicit MomentWeights(const SpectralGrid& grid);

  std::vector<float> variance;           ///< (frequency): int F df dtheta is the sum of weight F
  std::vector<float> inverse_frequency;  ///< (frequency): the same of int F/f df dtheta
};

/// Sums over one direction's frequencies, for eight directions at once.
struct Moments {
  Lanes variance{}, inverse_frequency{}, inverse_root_wavenumber{}, sea_variance{}, sea_inverse_frequency{};
};

/// The same over all directions.
struct MomentSums {
  double variance = 0, inverse_frequency = 0, inverse_root_wavenumber = 0, sea_variance = 0,
         sea_inverse_frequency = 0;

  /// Adds the first n lanes, in order.
  void add(const Moments& moments, int n);

  /// The mean of 1/f [Hz], or that of the wind sea if it is higher; `otherwise` for a calm sea.
  float mean_frequency(float otherwise) const;
};

}  // namespace halcyon::wave
