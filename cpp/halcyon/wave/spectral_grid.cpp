#include "halcyon/wave/spectral_grid.hpp"

#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

SpectralGrid::SpectralGrid(int n_frequencies, double first_frequency, double ratio, int n_directions)
    : n_frequencies(n_frequencies), n_directions(n_directions), ratio(ratio) {
  require<ConfigError>(n_frequencies >= 3 && n_directions >= 8,
                       "A spectrum needs at least 3 frequencies and 8 directions, not {} and {}.",
                       n_frequencies, n_directions);
  require<ConfigError>(first_frequency > 0 && ratio > 1,
                       "The first frequency must be positive and the ratio above 1, not {} Hz and {}.",
                       first_frequency, ratio);
  direction_width = kTwoPi / n_directions;
  for (int m = 0; m < n_frequencies; ++m) {
    frequency.push_back(first_frequency * std::pow(ratio, m));
    sigma.push_back(kTwoPi * frequency.back());
  }
  for (int m = 0; m < n_frequencies; ++m) {
    const double below = m == 0 ? frequency[m] : frequency[m - 1];
    const double above = m + 1 == n_frequencies ? frequency[m] : frequency[m + 1];
    frequency_width.push_back((above - below) / 2);
  }
  for (int k = 0; k < n_directions; ++k) direction.push_back((k + 0.5) * direction_width);
}

}  // namespace halcyon::wave
