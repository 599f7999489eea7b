#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace halcyon::io {

/// The only thread of a process that calls PnetCDF, which is not thread-safe. Runs jobs one after the other
/// in the order of submission, so that their collective calls match between ranks. The thread ends when no
/// job is left. Without MPI_THREAD_MULTIPLE, `submit` runs the job immediately in the calling thread.
class BackgroundThread {
 public:
  static BackgroundThread& instance();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// Waits for all jobs.
  ~BackgroundThread();

  /// Whether jobs can run in a background thread: MPI provides MPI_THREAD_MULTIPLE.
  static bool is_possible();

  /// Queues a job, which must not throw. First waits until no job is left, or until the memory of all queued
  /// jobs and the new one is at most `max_bytes`.
  /// @param bytes memory that the job holds   @returns the waiting time [s]
  double submit(std::function<void()> job, std::int64_t bytes, std::int64_t max_bytes);

  /// Waits for all jobs. @returns the waiting time [s]
  double finish();

 private:
  BackgroundThread() = default;
  void run_jobs();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::function<void()>, std::int64_t>> jobs_;  ///< and bytes; the first one runs
  std::int64_t bytes_ = 0;                                           ///< memory that the jobs hold
  bool is_running_ = false;
  std::thread thread_;
};

}  // namespace halcyon::io
