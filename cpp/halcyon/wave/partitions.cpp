#include "halcyon/wave/partitions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace halcyon::wave {

namespace {

constexpr double kSamePeak = 0.65;

constexpr std::pair<int, int> kAround[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1},
                                           {0, 1},   {1, -1}, {1, 0},  {1, 1}};

}  // namespace

Partitions::Partitions(const SpectralGrid& grid) : uphill_(grid.n_bins()), neighbours_(grid.n_bins()) {
  const int n = grid.n_directions;
  for (int m = 0, bin = 0; m < grid.n_frequencies; ++m) {
    for (int k = 0; k < n; ++k, ++bin) {
      for (std::size_t i = 0; i < std::size(kAround); ++i) {
        const auto [dm, dk] = kAround[i];
        const bool inside = m + dm >= 0 && m + dm < grid.n_frequencies;
        neighbours_[bin][i] = inside ? (m + dm) * n + (k + dk + n) % n : bin;
      }
    }
  }
}

std::span<const int> Partitions::divide(std::span<const double> density) {
  climb(density);
  find_passes(density);
  join_peaks(density);
  for (int& bin : uphill_) bin = bin < 0 ? bin : root(bin);
  return uphill_;
}

// Equal values: the bin that comes first counts as higher, so that every plateau has one top.
void Partitions::climb(std::span<const double> density) {
  for (std::size_t bin = 0; bin < uphill_.size(); ++bin) {
    uphill_[bin] = -1;
    if (!(density[bin] > 0)) continue;
    int highest = static_cast<int>(bin);
    for (const int other : neighbours_[bin]) {
      const bool higher =
          density[other] > density[highest] || (density[other] == density[highest] && other < highest);
      highest = higher ? other : highest;
    }
    uphill_[bin] = highest;
  }
  for (int& bin : uphill_) bin = bin < 0 ? bin : root(bin);
}

// The highest pass between each two peaks, the highest of all first.
void Partitions::find_passes(std::span<const double> density) {
  passes_.clear();
  for (std::size_t bin = 0; bin < uphill_.size(); ++bin) {
    const int here = uphill_[bin];
    if (here < 0) continue;
    for (const int other : std::span(neighbours_[bin]).last(4)) {  // each two neighbours once
      const int there = uphill_[other];
      if (there >= 0 && there != here) add_pass(std::min(density[bin], density[other]), here, there);
    }
  }
  std::ranges::sort(passes_, [](const Pass& a, const Pass& b) {
    return std::tuple(-a.height, a.low, a.high) < std::tuple(-b.height, b.low, b.high);
  });
}

void Partitions::add_pass(double height, int from, int to) {
  const auto [low, high] = std::minmax(from, to);
  for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
    if (pass->low == low && pass->high == high) {
      pass->height = std::max(pass->height, height);
      return;
    }
  }
  passes_.push_back({height, low, high});
}

void Partitions::join_peaks(std::span<const double> density) {
  for (const auto& pass : passes_) {
    int low = root(pass.low), high = root(pass.high);
    if (density[low] > density[high] || (density[low] == density[high] && low < high)) std::swap(low, high);
    if (low != high && pass.height >= kSamePeak * density[low]) uphill_[low] = high;
  }
}

int Partitions::root(int bin) {
  while (uphill_[bin] != bin) bin = uphill_[bin];
  return bin;
}

}  // namespace halcyon::wave
