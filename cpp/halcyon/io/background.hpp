#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace halcyon::io {

/// The one thread of a process that calls PnetCDF, which is not safe for several. Jobs run one after the
/// other in the order in which they are given, so that their collective calls match between ranks. The thread
/// ends when it has nothing left. Where MPI does not allow calls of another thread (MPI_THREAD_MULTIPLE),
/// jobs run at once, in the caller's.
class Background {
 public:
  static Background& instance();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Waits for all jobs.
  ~Background();

  /// Whether jobs run beside the caller.
  static bool is_possible();

  /// Gives a job, which must not throw.
  /// @param bytes that it holds; waits until those of all waiting jobs are at most `most_bytes`, or there are
  /// none
  /// @returns the time that it waited [s]
  double submit(std::function<void()> job, std::int64_t bytes, std::int64_t most_bytes);

  /// Waits for all jobs. @returns the time that it waited [s]
  double finish();

 private:
  Background() = default;
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::function<void()>, std::int64_t>> jobs_;  ///< the first one runs
  std::int64_t bytes_ = 0;
  bool running_ = false;
  std::thread thread_;
};

}  // namespace halcyon::io
