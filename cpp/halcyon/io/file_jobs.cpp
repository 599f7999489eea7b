#include "halcyon/io/file_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"

namespace halcyon::io {
namespace {

using namespace std::chrono_literals;
constexpr int kRunFailed = 3;  // exit code
constexpr auto kFirstLook = 10us, kLastLook = 500us;

/// Collective. The least number of all ranks. Who waits sleeps between looks: an I/O rank that still writes
/// may have to share a core with those that wait for it.
int least(const comm::Communicator& comm, int mine) {
  int found = mine, done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  comm::check(MPI_Iallreduce(&mine, &found, 1, MPI_INT, MPI_MIN, comm.get(), &request), "MPI_Iallreduce");
  for (std::chrono::microseconds pause = kFirstLook;;
       pause = std::min<decltype(pause)>(2 * pause, kLastLook)) {
    comm::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return found;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

FileJobs::FileJobs(const Ranks& ranks, std::string path) : ranks_(ranks), part_(std::move(path)) {}

void FileJobs::submit(std::int64_t bytes, std::function<void(FileJobs&)> job) {
  if (ranks_.mine() == kNone) return;
  const auto guarded = [self = shared_from_this(), job = std::move(job)] {
    if (!self->failure().empty()) return;
    double worked_s = 0;
    std::string failure;
    try {
      const ScopedTimer timer(worked_s);
      job(*self);
    } catch (const Error& error) {
      failure = error.what();
    } catch (const std::exception& error) {
      fmt::print(stderr, "error: {}: {}\n", self->part_.path(), error.what());
      MPI_Abort(self->ranks_.comm().get(), kRunFailed);  // nobody else knows: they would wait for this rank
    }
    const std::scoped_lock lock(self->mutex_);
    self->worked_s_ += worked_s;
    self->failure_ = failure;
  };
  auto& background = Background::instance();
  waited_s_ += background.submit(guarded, bytes, ranks_.options().background_bytes);
  if (!ranks_.options().background) background.finish();
}

std::string FileJobs::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

double FileJobs::worked_s() const {
  const std::scoped_lock lock(mutex_);
  return worked_s_;
}

void FileJobs::check() const {
  const auto& comm = ranks_.comm();
  auto text = failure();
  const auto lowest = least(comm, text.empty() ? comm.size() : comm.rank());
  if (lowest == comm.size()) return;
  if (comm.rank() == lowest) {
    text = fmt::format("{}: {}", part_.path(), text);
    if (std::filesystem::exists(part_.part()))
      text += fmt::format(" What was written before is in {}.", part_.part());
  }
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, lowest, comm.get());
  text.resize(length);
  MPI_Bcast(text.data(), length, MPI_CHAR, lowest, comm.get());
  throw RunError(text);
}

void FileJobs::wait() {
  waited_s_ += Background::instance().finish();
  check();
}

void FileJobs::on_root(const std::function<void()>& work) const {
  std::string text;
  if (ranks_.mine() == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      text = error.what();
    }
  }
  int failed = text.empty() ? 0 : 1;
  MPI_Bcast(&failed, 1, MPI_INT, 0, ranks_.io_comm());
  if (failed != 0) throw RunError(text.empty() ? "rank 0 failed." : text);
}

}  // namespace halcyon::io
