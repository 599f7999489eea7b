#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace halcyon {

/// Creates an empty file that does not exist yet; does not follow a symbolic link. @returns its descriptor;
/// -1 with errno if it cannot be created
int create_new(const std::string& path);

/// Flushes a file to the disk and renames it, so that `to` is complete even after a power cut. A symbolic
/// link `to` is replaced; the file that it points to stays as it is. @throws RunError if this fails
void flush_and_rename(const std::string& from, const std::string& to);

/// A new, empty file in the folder of `path`, NAME.XXXXXXXXXXXXXXXX.part with a random number; the destructor
/// removes it unless `finish` has renamed it. The constructor also removes files of this kind that killed
/// processes left: that were not written for an hour, and that no process has locked.
class TemporaryFile {
 public:
  /// @throws RunError if it cannot be created
  explicit TemporaryFile(std::string path);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return temporary_path_; }
  /// Renames it to `path`, see `flush_and_rename`.
  void finish() const { flush_and_rename(temporary_path_, path_); }

 private:
  std::string path_, temporary_path_;
};

/// Writes a file atomically: `write` writes a TemporaryFile, which is then renamed to `path`. On failure the
/// temporary file is removed.
/// @param write takes the path of the temporary file
/// @throws RunError if the file cannot be written, and whatever `write` throws
void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write);

/// Checks that a file of `data_bytes` and a header fits on the disk, and that quotas and limits permit it:
/// the bytes are allocated temporarily to an unnamed file, if the file system supports this.
/// @throws RunError that states the needed bytes, and the free bytes or the system's reason
void require_space(const std::string& path, std::uint64_t data_bytes);

}  // namespace halcyon
