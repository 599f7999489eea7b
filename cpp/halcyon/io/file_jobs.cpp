#include "halcyon/io/file_jobs.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/mesh/files/classic_file.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace halcyon::io {
namespace {

/// A file descriptor, closed by the destructor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC)) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

void require_success(bool has_succeeded, const std::string& path, const char* action) {
  const int reason = errno;
  require<RunError>(has_succeeded, "{}: cannot {}: {}.", path, action, std::strerror(reason));
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)), part_path_(path_ + ".part") {}

PartFile::~PartFile() {
  release();
}

void PartFile::require_unlocked(int file) const {
  require<RunError>(flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                    "{} is being written by another process. Wait for it, or write elsewhere.", path_);
}

void PartFile::require_writable(std::int64_t bytes) const {
  const FileDescriptor part(part_path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (part.number() >= 0) require_unlocked(part.number());
  require_space(path_, static_cast<std::uint64_t>(bytes));
}

void PartFile::create(char version) {
  {
    // A process that holds the lock is the only one that may remove the file.
    const FileDescriptor old(part_path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (old.number() >= 0) require_unlocked(old.number());
    if (old.number() >= 0 || errno == ELOOP) unlink(part_path_.c_str());
  }
  const FileDescriptor part(create_new(part_path_));
  const int reason = errno;
  require<RunError>(part.number() >= 0, "cannot create it: {}.", std::strerror(reason));
  // The number of records and three empty lists (netCDF classic format). PnetCDF would create the file by
  // name, and could then follow a symbolic link.
  std::string header{'C', 'D', 'F', version};
  header.resize(version == 5 ? 4 + 8 + 3 * 12 : 4 + 4 + 3 * 8);
  const auto written = write(part.number(), header.data(), header.size());
  require_success(written == std::ssize(header), part_path_, "write its header");
}

void PartFile::lock_and_reserve(std::int64_t bytes) {
  FileDescriptor part(part_path_, O_RDWR | O_NOFOLLOW);
  require_success(part.number() >= 0, part_path_, "open it");
  require_unlocked(part.number());
  const bool reserved =
      bytes == 0 || fallocate(part.number(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0;
  require_success(reserved || errno == EOPNOTSUPP || errno == EINTR, part_path_, "reserve its disk space");
  lock_ = part.release();
}

void PartFile::write_checksums(const std::vector<std::uint64_t>& checksums) {
  const auto header = mesh::read_classic_header(part_path_);
  require<RunError>(header.has_value(), "{}: its header is not on the disk, which may be full.", part_path_);
  const auto expected = header->expected_bytes(), actual = std::filesystem::file_size(part_path_);
  require<RunError>(actual >= expected, "{}: only {} of its {} bytes are on the disk, which may be full.",
                    part_path_, actual, expected);
  require_success(ftruncate(lock_, static_cast<off_t>(expected)) == 0, part_path_, "truncate it to its size");
  mesh::write_checksums(part_path_, checksums);
}

void PartFile::finish() {
  flush_and_rename(part_path_, path_);
  release();
}

void PartFile::remove() {
  std::error_code ignored;
  std::filesystem::remove(part_path_, ignored);
  release();
}

void PartFile::release() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

namespace {

using namespace std::chrono_literals;
constexpr int kRunFailed = 3;                              // exit code
constexpr auto kFirstPause = 10us, kLongestPause = 500us;  // between polls

/// Collective. Returns the minimum over all ranks. Waiting ranks sleep between polls: an I/O rank that still
/// writes may share a core with ranks that wait for it.
int min_of_ranks(const comm::Communicator& comm, int value) {
  int minimum = value, done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  comm::check(MPI_Iallreduce(&value, &minimum, 1, MPI_INT, MPI_MIN, comm.get(), &request), "MPI_Iallreduce");
  for (std::chrono::microseconds pause = kFirstPause;;
       pause = std::min<decltype(pause)>(2 * pause, kLongestPause)) {
    comm::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return minimum;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

FileJobs::FileJobs(const Ranks& ranks, std::string path) : ranks_(ranks), part_(std::move(path)) {}

void FileJobs::submit(std::int64_t bytes, std::function<void(FileJobs&)> job) {
  if (ranks_.io_rank() == kNone) return;
  const auto catching_job = [self = shared_from_this(), job = std::move(job)] {
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
      MPI_Abort(self->ranks_.comm().get(), kRunFailed);  // otherwise the other ranks would wait for this rank
    }
    const std::scoped_lock lock(self->mutex_);
    self->worked_s_ += worked_s;
    self->failure_ = failure;
  };
  auto& background = BackgroundThread::instance();
  waited_s_ += background.submit(catching_job, bytes, ranks_.options().background_bytes);
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
  const auto first_failed = min_of_ranks(comm, text.empty() ? comm.size() : comm.rank());
  if (first_failed == comm.size()) return;
  if (comm.rank() == first_failed) {
    text = fmt::format("{}: {}", part_.path(), text);
    if (std::filesystem::exists(part_.part_path()))
      text += fmt::format(" What was written before is in {}.", part_.part_path());
  }
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first_failed, comm.get());
  text.resize(length);
  MPI_Bcast(text.data(), length, MPI_CHAR, first_failed, comm.get());
  throw RunError(text);
}

void FileJobs::wait() {
  waited_s_ += BackgroundThread::instance().finish();
  check();
}

void FileJobs::run_on_io_root(const std::function<void()>& work) const {
  std::string text;
  if (ranks_.io_rank() == 0) {
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
