#include "halcyon/io/background.hpp"

#include <mpi.h>

#include "halcyon/base/timer.hpp"

namespace halcyon::io {

BackgroundThread& BackgroundThread::instance() {
  static BackgroundThread thread;
  return thread;
}

BackgroundThread::~BackgroundThread() {
  if (thread_.joinable()) thread_.join();
}

bool BackgroundThread::is_possible() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level >= MPI_THREAD_MULTIPLE;
}

double BackgroundThread::submit(std::function<void()> job, std::int64_t bytes, std::int64_t max_bytes) {
  double waited_s = 0;
  if (!is_possible()) {
    job();
    return waited_s;
  }
  const ScopedTimer timer(waited_s);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty() || bytes_ + bytes <= max_bytes; });
  jobs_.emplace_back(std::move(job), bytes);
  bytes_ += bytes;
  if (!is_running_) {
    if (thread_.joinable()) thread_.join();
    is_running_ = true;
    thread_ = std::thread([this] { run_jobs(); });
  }
  return waited_s;
}

double BackgroundThread::finish() {
  double waited_s = 0;
  const ScopedTimer timer(waited_s);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty(); });
  return waited_s;
}

void BackgroundThread::run_jobs() {
  std::unique_lock lock(mutex_);
  while (!jobs_.empty()) {
    auto job = std::move(jobs_.front().first);
    lock.unlock();
    job();
    job = nullptr;  // frees the job's memory before the next job is queued
    lock.lock();
    bytes_ -= jobs_.front().second;
    jobs_.pop_front();
    changed_.notify_all();
  }
  is_running_ = false;
}

}  // namespace halcyon::io
