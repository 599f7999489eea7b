#pragma once

#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/kernels/direction_rows.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Weights of sums over a spectrum: the trapezoidal rule, and beyond the last frequency a tail f^-5 in closed
/// form (WAMDI 1988), but for the square of the frequency, whose tail is not counted (IFS documentation).
struct MomentWeights {
  explicit MomentWeights(const SpectralGrid& grid);

  /// (frequency): int F x df dtheta is the sum of weight F, with x what the name says, or 1.
  std::vector<float> variance, inverse_frequency, first, square;
  std::vector<float> inverse_root, root;  ///< the same but for 1/sqrt(k) and sqrt(k), which depend on depth
};

/// Sums over one direction's frequencies, for eight directions at once.
struct Moments {
  Lanes variance{}, inverse_frequency{}, first{}, square{}, inverse_root_wavenumber{}, root_wavenumber{};
};

/// The same of the bins into which the wind feeds.
struct SeaMoments {
  Lanes variance{}, inverse_frequency{};
};

/// The same over all directions.
struct MomentSums {
  double variance = 0, inverse_frequency = 0, first = 0, square = 0, inverse_root_wavenumber = 0,
         root_wavenumber = 0, sea_variance = 0, sea_inverse_frequency = 0;

  /// Adds the first n lanes, in order.
  void add(const Moments& moments, int n);
  void add(const SeaMoments& moments, int n);

  bool calm() const { return variance < 1e-20; }

  /// The mean of 1/f [Hz], or that of the wind sea if it is higher; `otherwise` for a calm sea.
  float mean_frequency(float otherwise) const;
};

}  // namespace halcyon::wave
