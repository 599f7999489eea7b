#pragma once

#include <chrono>

namespace halcyon {

/// Adds the wall time of a scope to a sum of seconds.
class ScopedTimer {
 public:
  explicit ScopedTimer(double& sum_s) : sum_s_(sum_s) {}
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;
  ~ScopedTimer() { sum_s_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_s_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace halcyon
