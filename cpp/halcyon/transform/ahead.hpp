#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace halcyon::transform {

/// Memory that will be wanted soon. The machine is asked for it bit by bit while it computes, so that it comes
/// meanwhile: asked for all at once, it would compute nothing till most of it had come.
class Ahead {
 public:
  /// Forgets what is left.
  void clear() { runs_.clear(), next_ = 0, n_lines_ = 0; }
  void add(const double* first, std::ptrdiff_t n) {
    runs_.push_back({first, first + n});
    n_lines_ += (n + kLine - 1) / kLine;
  }
  /// All of it is to be asked for during so much work, in any unit.
  void share(std::size_t work) {
    rate_ = static_cast<double>(n_lines_) / static_cast<double>(std::max<std::size_t>(work, 1));
    due_ = 0;
  }
  /// So much of it is about to be done.
  void turn(std::size_t work) {
    due_ += rate_ * static_cast<double>(work);
    auto left = static_cast<std::ptrdiff_t>(due_);
    due_ -= static_cast<double>(left);
    for (; next_ < runs_.size(); ++next_) {
      auto& [at, end] = runs_[next_];
      const double* const stop = std::min(end, at + left * kLine);
      left -= (stop - at + kLine - 1) / kLine;
      for (; at < stop; at += kLine) __builtin_prefetch(at, 0, 2);
      if (at < end) return;
    }
  }

 private:
  static constexpr std::ptrdiff_t kLine = 8;  ///< numbers of a cache line

  struct Run {
    const double *at, *end;
  };
  std::vector<Run> runs_;
  std::size_t next_ = 0;
  std::ptrdiff_t n_lines_ = 0;
  double rate_ = 0, due_ = 0;  ///< [lines]
};

}  // namespace halcyon::transform
