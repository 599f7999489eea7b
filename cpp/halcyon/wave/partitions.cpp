#include "halcyon/wave/partitions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace halcyon::wave {

namespace {

constexpr double kSamePeak = 0.65;

constexpr std::pair<int, int> kNeighbours[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1},
                                               {0, 1},   {1, -1}, {1, 0},  {1, 1}};
constexpr std::pair<int, int> kLaterNeighbours[] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};

}  // namespace

Partitions::Partitions(const SpectralGrid& grid)
    : n_frequencies_(grid.n_frequencies), n_directions_(grid.n_directions), uphill_(grid.n_bins()) {}

std::span<const int> Partitions::divide(std::span<const double> density) {
  climb(density);
  find_passes(density);
  join_peaks(density);
  for (int& bin : uphill_) bin = bin < 0 ? bin : root(bin);
  return uphill_;
}

// The bin beside another, or -1 beyond the first and last frequency.
int Partitions::neighbour(int m, int k, int dm, int dk) const {
  if (m + dm < 0 || m + dm >= n_frequencies_) return -1;
  const int wrapped = k + dk < 0 ? n_directions_ - 1 : k + dk == n_directions_ ? 0 : k + dk;
  return (m + dm) * n_directions_ + wrapped;
}

// Equal values: the bin that comes first counts as higher, so that every plateau has one top.
void Partitions::climb(std::span<const double> density) {
  for (int m = 0, bin = 0; m < n_frequencies_; ++m) {
    for (int k = 0; k < n_directions_; ++k, ++bin) {
      int highest = density[bin] > 0 ? bin : -1;
      for (const auto& [dm, dk] : kNeighbours) {
        const int other = highest < 0 ? -1 : neighbour(m, k, dm, dk);
        if (other < 0) continue;
        const bool higher =
            density[other] > density[highest] || (density[other] == density[highest] && other < highest);
        if (higher) highest = other;
      }
      uphill_[bin] = highest;
    }
  }
  for (int& bin : uphill_) bin = bin < 0 ? bin : root(bin);
}

void Partitions::find_passes(std::span<const double> density) {
  passes_.clear();
  for (int m = 0, bin = 0; m < n_frequencies_; ++m) {
    for (int k = 0; k < n_directions_; ++k, ++bin) {
      if (uphill_[bin] < 0) continue;
      for (const auto& [dm, dk] : kLaterNeighbours) {
        const int other = neighbour(m, k, dm, dk);
        if (other < 0 || uphill_[other] < 0 || uphill_[other] == uphill_[bin]) continue;
        passes_.push_back({std::min(density[bin], density[other]), uphill_[bin], uphill_[other]});
      }
    }
  }
  std::ranges::sort(passes_, [](const Pass& a, const Pass& b) {
    return std::tuple(-a.height, a.from, a.to) < std::tuple(-b.height, b.from, b.to);
  });
}

void Partitions::join_peaks(std::span<const double> density) {
  for (const auto& pass : passes_) {
    int low = root(pass.from), high = root(pass.to);
    if (density[low] > density[high] || (density[low] == density[high] && low < high)) std::swap(low, high);
    if (low != high && pass.height >= kSamePeak * density[low]) uphill_[low] = high;
  }
}

int Partitions::root(int bin) {
  while (uphill_[bin] != bin) bin = uphill_[bin];
  return bin;
}

}  // namespace halcyon::wave
