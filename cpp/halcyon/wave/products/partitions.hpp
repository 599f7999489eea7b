#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Divides spectra into wave systems, the catchments of their peaks turned upside down: each bin belongs to
/// the peak that steepest ascent over its eight neighbours leads to (Hasselmann et al. 1996; Hanson and
/// Phillips 2001). Two peaks are one where the pass between them is at least 0.65 of the lower of the two
/// (Hanson and Phillips 2001), the highest passes first.
class Partitions {
 public:
  explicit Partitions(const SpectralGrid& grid);

  /// @param density F (frequency, direction), any unit
  /// @returns the bin of the peak of each bin's system, or -1 where there is no energy; until the next call
  std::span<const int> divide(std::span<const double> density);

 private:
  struct Pass {
    double height;
    int low, high;  ///< the bins of the peaks, by number
  };

  void climb(std::span<const double> density);
  void find_passes(std::span<const double> density);
  void add_pass(double height, int from, int to);
  void join_peaks(std::span<const double> density);

  int n_directions_;
  std::vector<int> uphill_;  ///< of each bin the highest neighbour, later the peak; -1: no energy
  std::vector<int> along_;   ///< the highest of each bin and its neighbours in direction
  std::vector<std::array<int, 4>> later_;  ///< half of the neighbours; the bin itself beyond the frequencies
  std::vector<Pass> passes_;
};

}  // namespace halcyon::wave
