#include "halcyon/comm/progress.hpp"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBusyPoll = std::chrono::microseconds(20);  // a poll that takes longer has moved data

}  // namespace

/// A thread that polls MPI while its rank computes with messages in flight, and sleeps otherwise. Any MPI
/// call progresses all communication, so the thread tests a receive that never completes, on a duplicate of
/// MPI_COMM_SELF. (MPI_Iprobe is not enough: in MPICH it only checks for a message, without progress of
/// the network.) The thread ends before MPI is finalized.
class ProgressThread {
 public:
  /// @param poll_interval_s sleep between polls [s]; the thread does not sleep after a poll that moved data
  /// @param core to which the thread is bound; no value: not bound
  /// @throws ConfigError if the thread cannot be bound to the core
  ProgressThread(double poll_interval_s, std::optional<int> core);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread();

  /// Polling begins with the first `resume`, and ends when each `resume` has been matched by a `pause`.
  void resume();
  void pause() { n_resumed_.fetch_sub(1); }

  /// @throws RunError, with MPI's error string, if a poll failed and the thread has ended
  void require_running() const;
  std::int64_t n_polls() const { return n_polls_; }

 private:
  static int on_finalize(MPI_Comm, int, void* thread, void*);
  void bind(int core);
  void release();
  void run();
  void stop();

  std::chrono::duration<double> poll_interval_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request idle_receive_ = MPI_REQUEST_NULL;  ///< never completes
  int key_ = MPI_KEYVAL_INVALID;                 ///< attribute whose deletion calls `on_finalize`
  std::atomic<int> n_resumed_ = 0;               ///< calls of `resume` minus calls of `pause`
  std::atomic<int> status_ = MPI_SUCCESS;        ///< of the last poll
  std::atomic<bool> stop_requested_ = false;
  std::atomic<std::int64_t> n_polls_ = 0;
  std::thread thread_;
};

ProgressThread::ProgressThread(double poll_interval_s, std::optional<int> core)
    : poll_interval_(poll_interval_s) {
  check(MPI_Comm_dup(MPI_COMM_SELF, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, comm_, &idle_receive_), "MPI_Irecv");
  // MPI_Finalize first deletes the attributes of MPI_COMM_SELF, which ends the thread (MPI 4.0, 11.2.4).
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key_, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), "MPI_Comm_set_attr");
  thread_ = std::thread([this] { run(); });
  if (core) bind(*core);
}

void ProgressThread::bind(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  const int error = pthread_setaffinity_np(thread_.native_handle(), sizeof cores, &cores);
  if (error == 0) return;
  release();
  throw ConfigError(
      fmt::format("The progress thread cannot be bound to core {} ({}). Give another core, auto or shared.",
                  core, std::strerror(error)));
}

ProgressThread::~ProgressThread() {
  release();
}

/// Ends the thread and frees its MPI objects.
void ProgressThread::release() {
  if (is_mpi_active()) {
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
    MPI_Comm_free(&comm_);
  }
  stop();
}

int ProgressThread::on_finalize(MPI_Comm, int, void* thread, void*) {
  auto& self = *static_cast<ProgressThread*>(thread);
  self.stop();
  MPI_Cancel(&self.idle_receive_);
  MPI_Wait(&self.idle_receive_, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  stop_requested_ = true;
  resume();
  thread_.join();
}

void ProgressThread::resume() {
  if (n_resumed_.fetch_add(1) == 0) n_resumed_.notify_one();
}

void ProgressThread::require_running() const {
  check(status_, "MPI_Test of the progress thread");
}

void ProgressThread::run() {
  for (n_resumed_.wait(0); !stop_requested_; n_resumed_.wait(0)) {
    const auto begin = Clock::now();
    int completed = 0;
    status_ = MPI_Test(&idle_receive_, &completed, MPI_STATUS_IGNORE);
    if (status_ != MPI_SUCCESS) return;
    ++n_polls_;
    if (Clock::now() - begin < kBusyPoll) std::this_thread::sleep_for(poll_interval_);
  }
}

namespace {

std::string description_of(ProgressMode mode, std::optional<int> core, double poll_interval_s) {
  std::string text(name_of(mode));
  if (mode == ProgressMode::thread) {
    text += core ? fmt::format(" on core {}", *core) : std::string(" on any core of its rank");
    text += fmt::format(", polling every {:g} us", 1e6 * poll_interval_s);
  }
  const auto variable = mpi_progress_variable();
  if (variable.empty()) return text;
  return text + (mode == ProgressMode::none
                     ? fmt::format("; MPI has its own progress threads ({})", variable)
                     : fmt::format("; slow in combination with the progress threads of MPI ({}): unset this "
                                   "variable, or use progress none",
                                   variable));
}

}  // namespace

Progress::~Progress() = default;

std::int64_t Progress::n_polls() const {
  return thread_ ? thread_->n_polls() : 0;
}

std::string_view name_of(ProgressMode mode) {
  return kProgressNames[static_cast<std::size_t>(mode)];
}

ProgressMode progress_mode_named(std::string_view name) {
  const auto found = std::ranges::find(kProgressNames, name) - kProgressNames.begin();
  require<ConfigError>(found < std::ssize(kProgressNames),
                       "There is no progress '{}'. Use none, poll or thread.", name);
  return static_cast<ProgressMode>(found);
}

Progress::Progress(const Communicator& comm, ProgressMode mode, const CoreBinding& core,
                   double poll_interval_s)
    : mode_(mode) {
  std::optional<int> core_number;
  if (mode == ProgressMode::thread) {
    comm.agree([&] {
      require_thread_multiple("Progress by a thread");
      require<ConfigError>(
          poll_interval_s >= 0 && poll_interval_s <= 1,
          "The polling interval of the progress thread is {:g} s. Give 0 to 1 s, such as 0.0002.",
          poll_interval_s);
    });
    core_number = select_core(comm, core);
    comm.agree([&] { thread_ = std::make_unique<ProgressThread>(poll_interval_s, core_number); });
  }
  description_ = description_of(mode, core_number, poll_interval_s);
}

void Progress::resume() const {
  if (!thread_) return;
  thread_->require_running();
  thread_->resume();
}

void Progress::pause() const noexcept {
  if (thread_) thread_->pause();
}

}  // namespace halcyon::comm
