#pragma once

#include <vector>

namespace halcyon::wave {

/// The discrete spectrum: frequencies in geometric progression and evenly spaced directions. Directions are
/// TOWARDS which waves travel, clockwise from north; the first lies half a step from north.
struct SpectralGrid {
  /// @param first_frequency [Hz]
  /// @param ratio of a frequency to the one before
  SpectralGrid(int n_frequencies, double first_frequency, double ratio, int n_directions);

  int n_frequencies, n_directions;
  double ratio;
  std::vector<double> frequency;        ///< [Hz]
  std::vector<double> frequency_width;  ///< df of the trapezoidal rule [Hz]
  std::vector<double> sigma;            ///< 2 pi f [rad s-1]
  std::vector<double> direction;        ///< [rad], towards, clockwise from north
  double direction_width;               ///< 2 pi / n_directions [rad]

  int n_bins() const { return n_frequencies * n_directions; }
};

}  // namespace halcyon::wave
