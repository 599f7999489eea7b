#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace halcyon::comm {

/// A thread that gives MPI turns while its rank computes with messages under way, and sleeps otherwise. MPI
/// moves whatever is under way whenever anybody calls it; so the thread tests a receive that never completes,
/// on a communicator where there is nobody else. (MPI_Iprobe is not enough: MPICH's looks for a message, and
/// moves none of the network's.) It ends before MPI does.
class ProgressThread {
 public:
  /// @param nap_s from turn to turn [s]; a turn that moved something is followed by the next at once
  /// @param core to which the thread is bound
  /// @throws ConfigError where it cannot be
  ProgressThread(double nap_s, std::optional<int> core);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread();

  /// From now on the rank computes with messages under way; no more. Calls nest.
  void resume();
  void pause() { n_computing_.fetch_sub(1); }

  /// @throws RunError, with MPI's text, where a turn failed
  void require_running() const;
  std::int64_t n_turns() const { return n_turns_; }

 private:
  static int on_finalize(MPI_Comm, int, void* thread, void*);
  void bind(int core);
  void release();
  void run();
  void stop();

  std::chrono::duration<double> nap_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request never_ = MPI_REQUEST_NULL;  ///< a receive that never completes
  int key_ = MPI_KEYVAL_INVALID;
  std::atomic<int> n_computing_ = 0, status_ = MPI_SUCCESS;
  std::atomic<bool> stops_ = false;
  std::atomic<std::int64_t> n_turns_ = 0;
  std::thread thread_;
};

}  // namespace halcyon::comm
