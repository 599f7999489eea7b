#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"

namespace halcyon::network {

/// What each link carries over time, in bins of equal width, and the longest wait of what comes to it.
///
/// There are as many bins as are asked for. Where a crossing ends beyond the last, the link's bins become
/// twice as wide, two in one. The bytes of a crossing are divided by their cumulative share at the bins'
/// edges, so that two bins in one hold what a wider one would have been given: the result depends on neither
/// the order of crossings nor threads. A link is used by one thread alone.
class History {
 public:
  History(Link n_links, std::int32_t n_bins)
      : n_bins_(n_bins),
        bins_(static_cast<std::size_t>(n_links) * n_bins),
        shifts_(n_bins > 0 ? n_links : 0, kShortest) {}

  bool on() const { return n_bins_ > 0; }

  /// Bytes that came to a link at `came`, and cross its beginning from `start` on.
  void add(Link link, Time came, Time start, Time takes, std::int64_t bytes) {
    const Time end = start + std::max<Time>(takes, 1);
    while ((end - 1) >> shifts_[link] >= n_bins_) widen(link);
    const auto shift = shifts_[link];
    auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
    auto& wait = bins[std::max<Time>(came, 0) >> shift].wait;
    wait = std::max(wait, start - came);
    const Time last = (end - 1) >> shift;
    std::int64_t before = 0;
    for (Time bin = start >> shift; bin < last; ++bin) {
      const Time edge = (bin + 1) << shift;
      const auto until = static_cast<std::int64_t>(Wide{bytes} * (edge - start) / takes);
      bins[bin].bytes += until - before;
      before = until;
    }
    bins[last].bytes += bytes - before;
  }

  /// Writes the bins from 0 to `end`, of all links as wide as the widest.
  void write(Time end, Result& result);

 private:
  static constexpr std::uint8_t kShortest = 10;  // 1.024 ns, which no crossing of interest is shorter than
  struct Bin {
    std::int64_t bytes = 0;
    Time wait = 0;
  };

  void widen(Link link);

  std::int32_t n_bins_;
  Large<Bin> bins_;                   // (link, bin)
  std::vector<std::uint8_t> shifts_;  // (link): a bin is 2^shift ps wide
};

}  // namespace halcyon::network
