#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Partitions spectra into wave systems by inverted catchments: each bin belongs to the peak that is reached
/// by steepest ascent over the eight neighbouring bins (Hasselmann et al. 1996; Hanson and Phillips 2001).
/// Two peaks are merged if the density at the saddle between them is at least 0.65 of the density of the
/// lower peak (Hanson and Phillips 2001), beginning with the highest saddle.
class Partitions {
 public:
  explicit Partitions(const SpectralGrid& grid)
      : n_directions_(grid.n_directions),
        uphill_(grid.n_bins()),
        row_maximum_(grid.n_bins()),
        half_neighbours_(grid.n_bins()) {
    const int n = grid.n_directions;
    for (int f = 0, bin = 0; f < grid.n_frequencies; ++f) {
      for (int m = 0; m < n; ++m, ++bin) {
        for (std::size_t i = 0; i < std::size(kNeighbourOffsets); ++i) {
          const auto [df, dm] = kNeighbourOffsets[i];
          half_neighbours_[bin][i] = f + df < grid.n_frequencies ? (f + df) * n + (m + dm + n) % n : bin;
        }
      }
    }
  }
  /// Returns the bin of the peak of each bin's wave system, -1 where density is 0; valid until the next call.
  /// @param density F (frequency, direction), any unit
  std::span<const int> partition(std::span<const double> density) {
    ascend(density);
    find_saddles(density);
    merge_peaks(density);
    flatten(uphill_);
    return uphill_;
  }

 private:
  static constexpr double kMergeRatio = 0.65;  // smallest saddle over lower peak at which peaks are merged
  /// Offsets in frequency and direction to half of the neighbours, so that each pair occurs once.
  static constexpr std::pair<int, int> kNeighbourOffsets[] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  /// Returns the bin of higher density, or the lower index, so that a plateau has one peak.
  static int higher(std::span<const double> density, int a, int b) {
    const bool is_b_higher = density[b] > density[a] || (density[b] == density[a] && b < a);
    return is_b_higher ? b : a;
  }
  /// Returns the peak of a bin with energy.
  static int peak_of(std::span<const int> uphill, int bin) {
    while (uphill[bin] != bin) bin = uphill[bin];
    return bin;
  }
  /// Replaces each bin's uphill neighbour by its peak.
  static void flatten(std::span<int> uphill) {
    for (int& bin : uphill) bin = bin < 0 ? bin : peak_of(uphill, bin);
  }
  struct Saddle {
    double height;       ///< density
    int peak_1, peak_2;  ///< bins of the two peaks, the lower index first
  };
  // Finds the peak of each bin. A bin and its eight neighbours are compared over direction, then frequency.
  void ascend(std::span<const double> density) {
    const int n = n_directions_, n_bins = static_cast<int>(uphill_.size());
    for (int row = 0; row < n_bins; row += n) {
      for (int m = 0; m < n; ++m) {
        const int left = row + (m == 0 ? n - 1 : m - 1), right = row + (m + 1 == n ? 0 : m + 1);
        row_maximum_[row + m] = higher(density, higher(density, left, row + m), right);
      }
    }
    for (int bin = 0; bin < n_bins; ++bin) {
      int best = row_maximum_[bin];
      if (bin >= n) best = higher(density, best, row_maximum_[bin - n]);
      if (bin + n < n_bins) best = higher(density, best, row_maximum_[bin + n]);
      uphill_[bin] = density[bin] > 0 ? best : -1;
    }
    flatten(uphill_);
  }
  // Finds the highest saddle between each pair of peaks, and sorts the saddles, highest first.
  void find_saddles(std::span<const double> density) {
    saddles_.clear();
    for (std::size_t bin = 0; bin < uphill_.size(); ++bin) {
      const int peak = uphill_[bin];
      if (peak < 0) continue;
      for (const int neighbour : half_neighbours_[bin]) {
        const int neighbour_peak = uphill_[neighbour];
        if (neighbour_peak >= 0 && neighbour_peak != peak)
          add_saddle(std::min(density[bin], density[neighbour]), peak, neighbour_peak);
      }
    }
    std::ranges::sort(saddles_, [](const Saddle& a, const Saddle& b) {
      return std::tuple(-a.height, a.peak_1, a.peak_2) < std::tuple(-b.height, b.peak_1, b.peak_2);
    });
  }
  // Adds a saddle between two peaks, or raises their saddle.
  void add_saddle(double height, int peak, int other_peak) {
    const auto [peak_1, peak_2] = std::minmax(peak, other_peak);
    for (auto saddle = saddles_.rbegin(); saddle != saddles_.rend(); ++saddle) {
      if (saddle->peak_1 == peak_1 && saddle->peak_2 == peak_2) {
        saddle->height = std::max(saddle->height, height);
        return;
      }
    }
    saddles_.push_back({height, peak_1, peak_2});
  }
  void merge_peaks(std::span<const double> density) {
    for (const auto& saddle : saddles_) {
      int low = peak_of(uphill_, saddle.peak_1), high = peak_of(uphill_, saddle.peak_2);
      if (density[low] > density[high] || (density[low] == density[high] && low < high)) std::swap(low, high);
      if (low != high && saddle.height >= kMergeRatio * density[low]) uphill_[low] = high;
    }
  }

  int n_directions_;
  std::vector<int> uphill_;       ///< (bin) highest neighbour, after flatten the peak; -1: density 0
  std::vector<int> row_maximum_;  ///< (bin) highest of the bin and its neighbours in direction
  std::vector<std::array<int, 4>>
      half_neighbours_;  ///< (bin) at kNeighbourOffsets; the bin itself if outside
  std::vector<Saddle> saddles_;
};

}  // namespace halcyon::wave
