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
constexpr auto kBusy = std::chrono::microseconds(20);  // a turn that took longer has moved something

}  // namespace

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

ProgressThread::ProgressThread(double nap_s, std::optional<int> core) : nap_(nap_s) {
  check(MPI_Comm_dup(MPI_COMM_SELF, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, comm_, &never_), "MPI_Irecv");
  // MPI_Finalize begins with the attributes of this communicator (MPI 4.0, section 11.2.4).
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
      fmt::format("The progress thread may not run on core {} ({}). Give another one, auto or shared.", core,
                  std::strerror(error)));
}

ProgressThread::~ProgressThread() {
  release();
}

/// Ends the thread and gives back what MPI holds of it.
void ProgressThread::release() {
  if (mpi_runs()) {
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
    MPI_Comm_free(&comm_);
  }
  stop();
}

int ProgressThread::on_finalize(MPI_Comm, int, void* thread, void*) {
  auto& self = *static_cast<ProgressThread*>(thread);
  self.stop();
  MPI_Cancel(&self.never_);
  MPI_Wait(&self.never_, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  stops_ = true;
  resume();
  thread_.join();
}

void ProgressThread::resume() {
  if (n_computing_.fetch_add(1) == 0) n_computing_.notify_one();
}

void ProgressThread::require_running() const {
  check(status_, "MPI_Test of the progress thread");
}

void ProgressThread::run() {
  for (n_computing_.wait(0); !stops_; n_computing_.wait(0)) {
    const auto begin = Clock::now();
    int found = 0;
    status_ = MPI_Test(&never_, &found, MPI_STATUS_IGNORE);
    if (status_ != MPI_SUCCESS) return;
    ++n_turns_;
    if (Clock::now() - begin < kBusy) std::this_thread::sleep_for(nap_);
  }
}

namespace {

std::string described(ProgressBy by, std::optional<int> core, double nap_s) {
  std::string text(name_of(by));
  if (by == ProgressBy::thread) {
    text += core ? fmt::format(" on core {}", *core) : std::string(" on any core of its rank");
    text += fmt::format(", naps of {:g} us", 1e6 * nap_s);
  }
  const auto own = mpi_own_progress();
  if (own.empty()) return text;
  return text +
         (by == ProgressBy::none
              ? fmt::format("; the MPI has threads of its own ({})", own)
              : fmt::format(
                    "; harmful together with the threads of the MPI ({}): unset that, or use progress none",
                    own));
}

}  // namespace

Progress::~Progress() = default;

std::int64_t Progress::n_turns() const {
  return thread_ ? thread_->n_turns() : 0;
}

std::string_view name_of(ProgressBy by) {
  return kProgressNames[static_cast<std::size_t>(by)];
}

ProgressBy progress_named(std::string_view name) {
  const auto found = std::ranges::find(kProgressNames, name) - kProgressNames.begin();
  require<ConfigError>(found < std::ssize(kProgressNames),
                       "There is no progress '{}'. Use none, poll or thread.", name);
  return static_cast<ProgressBy>(found);
}

Progress::Progress(const Communicator& comm, ProgressBy by, const Core& core, double nap_s) : by_(by) {
  std::optional<int> number;
  if (by == ProgressBy::thread) {
    comm.agree([&] {
      require_thread_multiple("Progress by a thread");
      require<ConfigError>(nap_s >= 0 && nap_s <= 1,
                           "Naps of {:g} s of a progress thread. Give 0 to 1 s, such as 0.0002.", nap_s);
    });
    number = core_for(comm, core);
    comm.agree([&] { thread_ = std::make_unique<ProgressThread>(nap_s, number); });
  }
  description_ = described(by, number, nap_s);
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
