#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "halcyon/base/lanes.hpp"

namespace halcyon::transform {

/// Whether the processor has registers of 8 numbers (AVX-512).
inline bool has_wide_registers() {
  return __builtin_cpu_supports("avx512f");
}

/// Neighbouring cache lines, one or more.
struct Lines {
  static constexpr std::ptrdiff_t kNumbers = 8;  ///< of a line

  const double* first;
  std::ptrdiff_t n;

  /// Asks the machine for one of them, or for the last one again.
  [[gnu::always_inline]] void fetch(std::ptrdiff_t i) const {
    halcyon::fetch(first + std::min(i, n - 1) * kNumbers, 1);
  }
  void fetch_all() const {
    for (std::ptrdiff_t i = 0; i < n; ++i) fetch(i);
  }
};

/// Memory that will be wanted soon. The machine is asked for it a few lines at a time while it computes, so
/// that it comes meanwhile: asked for all at once, it would compute nothing till most of it had come.
class Ahead {
 public:
  /// Forgets what is left.
  void clear() { runs_.clear(), next_ = 0, n_lines_ = 0, last_ = {&kNothing, 1}; }
  void add(const double* first, std::ptrdiff_t n) {
    runs_.push_back({first, (n + Lines::kNumbers - 1) / Lines::kNumbers});
    n_lines_ += runs_.back().n;
  }
  /// All of it is to be asked for during so much work, in any unit.
  void share(std::size_t work) {
    rate_ = static_cast<double>(n_lines_) / static_cast<double>(std::max<std::size_t>(work, 1));
    due_ = 0;
  }
  /// What to ask for during so much of it: at most so many lines, or a line that was asked for before.
  Lines take(std::size_t work, std::ptrdiff_t most) {
    due_ += rate_ * static_cast<double>(work);
    if (due_ < 1 || most < 1 || next_ == runs_.size()) return last_;
    auto& run = runs_[next_];
    const Lines taken{run.first, std::min({run.n, most, static_cast<std::ptrdiff_t>(due_)})};
    due_ -= static_cast<double>(taken.n);
    run.first += taken.n * Lines::kNumbers, run.n -= taken.n;
    if (run.n == 0) ++next_;
    last_ = {taken.first, 1};
    return taken;
  }

 private:
  static constexpr double kNothing = 0;

  std::vector<Lines> runs_;
  std::size_t next_ = 0;
  std::ptrdiff_t n_lines_ = 0;
  double rate_ = 0, due_ = 0;  ///< [lines]
  Lines last_{&kNothing, 1};
};

}  // namespace halcyon::transform
