#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "halcyon/base/lanes.hpp"

namespace halcyon::transform {

/// Whether the processor has registers of 8 doubles (AVX-512).
inline bool has_wide_registers() {
  return __builtin_cpu_supports("avx512f");
}

struct CacheLines {
  static constexpr std::ptrdiff_t kNumbers = 8;  ///< doubles per cache line

  const double* first;
  std::ptrdiff_t n;

  /// Prefetches line i, or the last line if i exceeds its index.
  [[gnu::always_inline]] void prefetch(std::ptrdiff_t i) const {
    halcyon::prefetch(first + std::min(i, n - 1) * kNumbers, 1);
  }
  void prefetch_all() const {
    for (std::ptrdiff_t i = 0; i < n; ++i) prefetch(i);
  }
};

/// A queue of memory ranges that will soon be read or written. Kernels prefetch a few cache lines at a time
/// during their computation, since prefetching all lines at once would stall them.
class PrefetchQueue {
 public:
  void clear() { ranges_.clear(), next_ = 0, n_lines_ = 0, last_ = {&kUnusedLine, 1}; }
  void add(const double* first, std::ptrdiff_t n) {
    ranges_.push_back({first, (n + CacheLines::kNumbers - 1) / CacheLines::kNumbers});
    n_lines_ += ranges_.back().n;
  }
  /// Spreads the prefetches evenly over an amount of work, in any unit.
  void spread_over(std::size_t work) {
    rate_ = static_cast<double>(n_lines_) / static_cast<double>(std::max<std::size_t>(work, 1));
    due_ = 0;
  }
  /// Returns the lines to prefetch during an amount of work, at most `max_lines`; if none is due, one line
  /// that was prefetched before.
  CacheLines take(std::size_t work, std::ptrdiff_t max_lines) {
    due_ += rate_ * static_cast<double>(work);
    if (due_ < 1 || max_lines < 1 || next_ == ranges_.size()) return last_;
    auto& range = ranges_[next_];
    const CacheLines taken{range.first, std::min({range.n, max_lines, static_cast<std::ptrdiff_t>(due_)})};
    due_ -= static_cast<double>(taken.n);
    range.first += taken.n * CacheLines::kNumbers, range.n -= taken.n;
    if (range.n == 0) ++next_;
    last_ = {taken.first, 1};
    return taken;
  }

 private:
  static constexpr double kUnusedLine = 0;

  std::vector<CacheLines> ranges_;
  std::size_t next_ = 0;
  std::ptrdiff_t n_lines_ = 0;
  double rate_ = 0, due_ = 0;  ///< [lines]
  CacheLines last_{&kUnusedLine, 1};
};

}  // namespace halcyon::transform
