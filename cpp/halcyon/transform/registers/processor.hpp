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

/// A range of consecutive cache lines.
struct CacheLines {
  static constexpr std::ptrdiff_t kBytes = 64;  ///< bytes per cache line

  const std::byte* first;  ///< start of the first line
  std::ptrdiff_t n;        ///< number of lines

  /// Prefetches line i of 0 .. n - 1, or line n - 1 if i is larger.
  [[gnu::always_inline]] void prefetch(std::ptrdiff_t i) const {
    halcyon::prefetch(first + std::min(i, n - 1) * kBytes, 1);
  }
  void prefetch_all() const {
    for (std::ptrdiff_t i = 0; i < n; ++i) prefetch(i);
  }
};

/// A queue of memory ranges that will soon be read or written. Kernels prefetch a few cache lines at a time
/// during their computation, since prefetching all lines at once would stall the computation.
class PrefetchQueue {
 public:
  void clear() { ranges_.clear(), next_range_ = 0, n_lines_ = 0, repeated_line_ = {&kUnusedLine, 1}; }
  /// Appends `n` numbers that begin at `first`.
  template <class Real>
  void add(const Real* first, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t kNumbers = CacheLines::kBytes / sizeof(Real);
    ranges_.push_back({reinterpret_cast<const std::byte*>(first), (n + kNumbers - 1) / kNumbers});
    n_lines_ += ranges_.back().n;
  }
  /// Spreads the prefetches evenly over an amount of work, in any unit; `take` uses the same unit.
  void spread_over(std::size_t work) {
    rate_ = static_cast<double>(n_lines_) / static_cast<double>(std::max<std::size_t>(work, 1));
    due_ = 0;
  }
  /// Returns up to `max_lines` lines to prefetch during an amount of work, or a cached line if none is due.
  CacheLines take(std::size_t work, std::ptrdiff_t max_lines) {
    due_ += rate_ * static_cast<double>(work);
    if (due_ < 1 || max_lines < 1 || next_range_ == ranges_.size()) return repeated_line_;
    auto& range = ranges_[next_range_];
    const CacheLines taken{range.first, std::min({range.n, max_lines, static_cast<std::ptrdiff_t>(due_)})};
    due_ -= static_cast<double>(taken.n);
    range.first += taken.n * CacheLines::kBytes, range.n -= taken.n;
    if (range.n == 0) ++next_range_;
    repeated_line_ = {taken.first, 1};
    return taken;
  }

 private:
  static constexpr std::byte kUnusedLine{};  ///< prefetched until the first line is due

  std::vector<CacheLines> ranges_;
  std::size_t next_range_ = 0;
  std::ptrdiff_t n_lines_ = 0;  ///< lines of all ranges that were added
  double rate_ = 0;             ///< lines per unit of work
  double due_ = 0;              ///< lines to prefetch up to the present work, minus the lines that were taken
  CacheLines repeated_line_{&kUnusedLine, 1};  ///< cached line that is returned if none is due
};

}  // namespace halcyon::transform
