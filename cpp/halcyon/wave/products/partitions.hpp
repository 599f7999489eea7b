#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Divides spectra into wave systems, the catchments of their peaks turned upside down: each bin belongs to
/// the peak that steepest ascent over its eight neighbours leads to (Hasselmann et al. 1996; Hanson and
/// Phillips 2001). Two peaks are one where the pass between them is at least 0.65 of the lower of the two
/// (Hanson and Phillips 2001), the highest passes first.
class Partitions {
 public:
  explicit Partitions(const SpectralGrid& grid)
      : n_directions_(grid.n_directions),
        uphill_(grid.n_bins()),
        along_(grid.n_bins()),
        later_(grid.n_bins()) {
    const int n = grid.n_directions;
    for (int m = 0, bin = 0; m < grid.n_frequencies; ++m) {
      for (int k = 0; k < n; ++k, ++bin) {
        for (std::size_t i = 0; i < std::size(kLater); ++i) {
          const auto [dm, dk] = kLater[i];
          later_[bin][i] = m + dm < grid.n_frequencies ? (m + dm) * n + (k + dk + n) % n : bin;
        }
      }
    }
  }

  /// @param density F (frequency, direction), any unit
  /// @returns the bin of the peak of each bin's system, or -1 where there is no energy; until the next call
  std::span<const int> divide(std::span<const double> density) {
    climb(density);
    find_passes(density);
    join_peaks(density);
    flatten(uphill_);
    return uphill_;
  }

 private:
  static constexpr double kSamePeak = 0.65;
  /// Steps in frequency and direction to half of the neighbours, so that each two are met once.
  static constexpr std::pair<int, int> kLater[] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  /// Equal values: the bin that comes first counts as higher, so that every plateau has one top.
  static int higher(std::span<const double> density, int a, int b) {
    const bool second = density[b] > density[a] || (density[b] == density[a] && b < a);
    return second ? b : a;
  }
  /// The top of a bin that is part of a system.
  static int root(std::span<const int> uphill, int bin) {
    while (uphill[bin] != bin) bin = uphill[bin];
    return bin;
  }
  /// Points each bin straight to its top.
  static void flatten(std::span<int> uphill) {
    for (int& bin : uphill) bin = bin < 0 ? bin : root(uphill, bin);
  }
  struct Pass {
    double height;
    int low, high;  ///< the bins of the peaks, by number
  };

  // The highest of three in a row, then of three rows: the highest of nine.
  void climb(std::span<const double> density) {
    const int n = n_directions_, n_bins = static_cast<int>(uphill_.size());
    for (int row = 0; row < n_bins; row += n) {
      for (int k = 0; k < n; ++k) {
        const int left = row + (k == 0 ? n - 1 : k - 1), right = row + (k + 1 == n ? 0 : k + 1);
        along_[row + k] = higher(density, higher(density, left, row + k), right);
      }
    }
    for (int bin = 0; bin < n_bins; ++bin) {
      int best = along_[bin];
      if (bin >= n) best = higher(density, best, along_[bin - n]);
      if (bin + n < n_bins) best = higher(density, best, along_[bin + n]);
      uphill_[bin] = density[bin] > 0 ? best : -1;
    }
    flatten(uphill_);
  }
  // The highest pass between each two peaks, the highest of all first.
  void find_passes(std::span<const double> density) {
    passes_.clear();
    for (std::size_t bin = 0; bin < uphill_.size(); ++bin) {
      const int here = uphill_[bin];
      if (here < 0) continue;
      for (const int other : later_[bin]) {
        const int there = uphill_[other];
        if (there >= 0 && there != here) add_pass(std::min(density[bin], density[other]), here, there);
      }
    }
    std::ranges::sort(passes_, [](const Pass& a, const Pass& b) {
      return std::tuple(-a.height, a.low, a.high) < std::tuple(-b.height, b.low, b.high);
    });
  }
  void add_pass(double height, int from, int to) {
    const auto [low, high] = std::minmax(from, to);
    for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
      if (pass->low == low && pass->high == high) {
        pass->height = std::max(pass->height, height);
        return;
      }
    }
    passes_.push_back({height, low, high});
  }
  void join_peaks(std::span<const double> density) {
    for (const auto& pass : passes_) {
      int low = root(uphill_, pass.low), high = root(uphill_, pass.high);
      if (density[low] > density[high] || (density[low] == density[high] && low < high)) std::swap(low, high);
      if (low != high && pass.height >= kSamePeak * density[low]) uphill_[low] = high;
    }
  }

  int n_directions_;
  std::vector<int> uphill_;  ///< of each bin the highest neighbour, later the peak; -1: no energy
  std::vector<int> along_;   ///< the highest of each bin and its neighbours in direction
  std::vector<std::array<int, 4>> later_;  ///< half of the neighbours; the bin itself beyond the frequencies
  std::vector<Pass> passes_;
};

}  // namespace halcyon::wave
