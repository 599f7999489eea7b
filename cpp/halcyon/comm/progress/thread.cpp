#include "halcyon/comm/progress/thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <cstring>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBusy = std::chrono::microseconds(20);  // a turn that took longer has moved something

}  // namespace

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
      fmt::format("The progress thread may not run on core {} ({}). Give another one, auto or "
                  "shared.",
                  core, std::strerror(error)));
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

}  // namespace halcyon::comm
