#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Partitions spectra into wave systems by inverted catchments: each bin belongs to the peak reached by
/// steepest ascent over its eight neighbours (Hasselmann et al. 1996; Hanson and Phillips 2001). Two peaks
/// are merged where the saddle between them is at least 0.65 of the lower peak (Hanson and Phillips 2001),
/// highest saddles first.
class Partitions {
 public:
  explicit Partitions(const SpectralGrid& grid)
      : n_directions_(grid.n_directions),
        uphill_(grid.n_bins()),
        row_maximum_(grid.n_bins()),
        later_neighbours_(grid.n_bins()) {
    const int n = grid.n_directions;
    for (int m = 0, bin = 0; m < grid.n_frequencies; ++m) {
      for (int k = 0; k < n; ++k, ++bin) {
        for (std::size_t i = 0; i < std::size(kLater); ++i) {
          const auto [dm, dk] = kLater[i];
          later_neighbours_[bin][i] = m + dm < grid.n_frequencies ? (m + dm) * n + (k + dk + n) % n : bin;
        }
      }
    }
  }

  /// @param density F (frequency, direction), any unit
  /// @returns for each bin the bin of its system's peak, or -1 without energy; valid until the next call
  std::span<const int> partition(std::span<const double> density) {
    ascend(density);
    find_saddles(density);
    merge_peaks(density);
    flatten(uphill_);
    return uphill_;
  }

 private:
  static constexpr double kMergeRatio = 0.65;
  /// Offsets in frequency and direction to half of the neighbours, so that each pair is visited once.
  static constexpr std::pair<int, int> kLater[] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  /// Returns the higher of two bins; of equal values the lower index, so that every plateau has one peak.
  static int higher(std::span<const double> density, int a, int b) {
    const bool second = density[b] > density[a] || (density[b] == density[a] && b < a);
    return second ? b : a;
  }
  /// Returns the peak of a bin with energy.
  static int root(std::span<const int> uphill, int bin) {
    while (uphill[bin] != bin) bin = uphill[bin];
    return bin;
  }
  /// Replaces each bin's uphill neighbour by its peak.
  static void flatten(std::span<int> uphill) {
    for (int& bin : uphill) bin = bin < 0 ? bin : root(uphill, bin);
  }
  struct Saddle {
    double height;
    int low, high;  ///< bins of the two peaks, the lower index first
  };

  // Computes the highest of nine bins: the highest of three directions, then of three frequencies.
  void ascend(std::span<const double> density) {
    const int n = n_directions_, n_bins = static_cast<int>(uphill_.size());
    for (int row = 0; row < n_bins; row += n) {
      for (int k = 0; k < n; ++k) {
        const int left = row + (k == 0 ? n - 1 : k - 1), right = row + (k + 1 == n ? 0 : k + 1);
        row_maximum_[row + k] = higher(density, higher(density, left, row + k), right);
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
  // Computes the highest saddle between each pair of peaks, and sorts the saddles, highest first.
  void find_saddles(std::span<const double> density) {
    saddles_.clear();
    for (std::size_t bin = 0; bin < uphill_.size(); ++bin) {
      const int peak = uphill_[bin];
      if (peak < 0) continue;
      for (const int other : later_neighbours_[bin]) {
        const int other_peak = uphill_[other];
        if (other_peak >= 0 && other_peak != peak)
          add_saddle(std::min(density[bin], density[other]), peak, other_peak);
      }
    }
    std::ranges::sort(saddles_, [](const Saddle& a, const Saddle& b) {
      return std::tuple(-a.height, a.low, a.high) < std::tuple(-b.height, b.low, b.high);
    });
  }
  void add_saddle(double height, int from, int to) {
    const auto [low, high] = std::minmax(from, to);
    for (auto saddle = saddles_.rbegin(); saddle != saddles_.rend(); ++saddle) {
      if (saddle->low == low && saddle->high == high) {
        saddle->height = std::max(saddle->height, height);
        return;
      }
    }
    saddles_.push_back({height, low, high});
  }
  void merge_peaks(std::span<const double> density) {
    for (const auto& saddle : saddles_) {
      int low = root(uphill_, saddle.low), high = root(uphill_, saddle.high);
      if (density[low] > density[high] || (density[low] == density[high] && low < high)) std::swap(low, high);
      if (low != high && saddle.height >= kMergeRatio * density[low]) uphill_[low] = high;
    }
  }

  int n_directions_;
  std::vector<int> uphill_;       ///< (bin) highest neighbour, later the peak; -1: no energy
  std::vector<int> row_maximum_;  ///< (bin) highest of the bin and its neighbours in direction
  std::vector<std::array<int, 4>> later_neighbours_;  ///< (bin) half of the neighbours, or the bin itself
  std::vector<Saddle> saddles_;
};

}  // namespace halcyon::wave
