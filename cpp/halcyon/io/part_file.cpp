#include "halcyon/io/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/io/stamp.hpp"
#include "halcyon/mesh/files/classic_file.hpp"
#include "halcyon/mesh/files/whole_file.hpp"

namespace halcyon::io {
namespace {

/// A file descriptor that closes itself.
class Handle {
 public:
  Handle(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

void require_done(bool done, const std::string& path, const char* what) {
  const int reason = errno;
  require<RunError>(done, "{}: cannot {}: {}.", path, what, std::strerror(reason));
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}

PartFile::~PartFile() {
  if (lock_ >= 0) close(lock_);
}

void PartFile::prepare(std::int64_t bytes) {
  const Handle part(part_, O_RDWR);
  if (part.number() >= 0)
    require<RunError>(flock(part.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                      "{} is being written by another process. Wait for it, or write elsewhere.", path_);
  mesh::require_space(path_, static_cast<std::uint64_t>(bytes));
}

void PartFile::hold(std::int64_t bytes) {
  Handle part(part_, O_RDWR);
  require_done(part.number() >= 0, part_, "open it");
  require<RunError>(flock(part.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                    "{} is being written by another process. Wait for it, or write elsewhere.", path_);
  const bool reserved = fallocate(part.number(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0;
  require_done(reserved || errno == EOPNOTSUPP || errno == EINTR, part_, "reserve its place on the disk");
  lock_ = part.release();
}

void PartFile::stamp(const std::vector<std::uint64_t>& checksums) {
  const auto header = mesh::read_classic_header(part_);
  require<RunError>(header.has_value(), "{}: its header is not on the disk, which may be full.", part_);
  const auto promised = header->promised_bytes(), found = std::filesystem::file_size(part_);
  require<RunError>(found >= promised, "{}: only {} of its {} bytes are on the disk, which may be full.",
                    part_, found, promised);
  require_done(ftruncate(lock_, static_cast<off_t>(promised)) == 0, part_, "cut what was reserved too much");
  io::stamp(part_, checksums);
}

void PartFile::finish() {
  sync(part_);
  name(part_);
}

void PartFile::finish_with(const std::string& other) {
  sync(other);
  name(other);
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void PartFile::sync(const std::string& file) const {
  const Handle opened(file, O_RDONLY);
  require_done(opened.number() >= 0 && fsync(opened.number()) == 0, file, "bring it to the disk");
}

void PartFile::name(const std::string& file) {
  std::error_code failed;
  std::filesystem::rename(file, path_, failed);
  require<RunError>(!failed, "{}: cannot give it its name: {}.", file, failed.message());
  const Handle folder(std::filesystem::absolute(path_).parent_path(), O_RDONLY);
  if (folder.number() >= 0) fsync(folder.number());
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

}  // namespace halcyon::io
