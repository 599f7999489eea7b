#include "halcyon/base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <string_view>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon {
namespace {

constexpr std::uint64_t kHeaderBytes = 1 << 18;  // upper bound of the size of a file's header

/// Flushes a file to the disk. Without this, a power cut after the rename could leave a file of the right
/// length that contains zeros.
void sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && fsync(file) == 0;
  const std::string reason = std::strerror(errno);
  if (file >= 0) close(file);
  require<RunError>(done, "Cannot flush {} to the disk: {}. Check the disk and its free space.", path,
                    reason);
}

/// Tries to allocate `bytes` in a folder. Returns the system's error code; 0 on success, or if the file
/// system does not support allocation.
int try_allocation(const std::string& folder, std::uint64_t bytes) {
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  const bool done = fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0;
  const int reason = errno;
  close(file);
  return done || reason == EOPNOTSUPP || reason == EINTR ? 0 : reason;
}

constexpr std::string_view kSuffix = ".part";
constexpr std::size_t kDigits = 16;      // of the random number in the name of a temporary file
constexpr std::time_t kLeftover = 3600;  // least age of a temporary file that is removed [s]

/// Whether a name is that of a temporary file of `name`.
bool is_temporary_name(std::string_view candidate, std::string_view name) {
  if (candidate.size() != name.size() + 1 + kDigits + kSuffix.size() || !candidate.starts_with(name) ||
      !candidate.ends_with(kSuffix) || candidate[name.size()] != '.')
    return false;
  return std::ranges::all_of(candidate.substr(name.size() + 1, kDigits),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Removes a temporary file that no process holds.
void remove_leftover(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat status{};
  const bool is_old = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                      std::time(nullptr) - status.st_mtime > kLeftover;
  if (is_old && flock(file, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  close(file);
}

void remove_leftovers(const std::filesystem::path& path) {
  std::error_code failed;
  const auto folder = std::filesystem::absolute(path).parent_path();
  const auto name = path.filename().string();
  std::filesystem::directory_iterator entries(folder, failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed))
    if (is_temporary_name(entries->path().filename().string(), name)) remove_leftover(entries->path());
}

std::string with_random_number(const std::string& path) {
  std::random_device source;
  return fmt::format("{}.{:08x}{:08x}{}", path, source(), source(), kSuffix);
}

}  // namespace

int create_new(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

void flush_and_rename(const std::string& from, const std::string& to) {
  sync(from);
  std::error_code failed;
  std::filesystem::rename(from, to, failed);
  require<RunError>(!failed, "Cannot rename {} to {}: {}. Choose another name.", from, to, failed.message());
  const int folder = open(std::filesystem::absolute(to).parent_path().c_str(), O_RDONLY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);  // the new name; not all file systems support this
  close(folder);
}

TemporaryFile::TemporaryFile(std::string path)
    : path_(std::move(path)), temporary_path_(with_random_number(path_)) {
  remove_leftovers(path_);
  const int file = create_new(temporary_path_);
  const int reason = errno;
  require<RunError>(file >= 0, "Cannot write {}: {}. Check the folder, its permissions and free space.",
                    path_, std::strerror(reason));
  close(file);
}

TemporaryFile::~TemporaryFile() {
  unlink(temporary_path_.c_str());  // does nothing after `finish`
}

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  const TemporaryFile part(path);
  write(part.path());
  part.finish();
}

void require_space(const std::string& path, std::uint64_t data_bytes) {
  const std::uint64_t bytes = data_bytes + kHeaderBytes;
  const std::string folder = std::filesystem::absolute(path).parent_path();
  std::error_code failed;
  const auto space = std::filesystem::space(folder, failed);
  require<RunError>(failed || space.available >= bytes,
                    "Cannot write {}: it needs {} bytes, but {} has {} free. Free space, or write elsewhere.",
                    path, bytes, folder, space.available);
  const int reason = try_allocation(folder, bytes);
  require<RunError>(
      reason == 0,
      "Cannot write {}: allocating {} bytes failed: {}. Raise the limit, free space, or write elsewhere.",
      path, bytes, std::strerror(reason));
}

}  // namespace halcyon
