#include "halcyon/mesh/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
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

void rename(const std::string& from, const std::string& to) {
  std::error_code failed;
  std::filesystem::rename(from, to, failed);
  require<RunError>(!failed, "Cannot rename {} to {}: {}. Choose another name.", from, to, failed.message());
}

}  // namespace

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string part_path = path + ".part";
  try {
    write(part_path);
    sync(part_path);
    rename(part_path, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part_path, ignored);
    throw;
  }
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

}  // namespace halcyon::mesh
