#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "halcyon/io/background.hpp"
#include "halcyon/io/pnetcdf_file.hpp"
#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

/// The file `path.part`, which is renamed to `path` when it is complete; used by one rank. Locks the file
/// where the file system supports locks, so that no other process can write it.
class PartFile {
 public:
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  const std::string& part_path() const { return part_path_; }

  /// Checks that no other process writes the file, and that the disk has space for `bytes`.
  /// @throws RunError if not, with the needed and the free bytes
  void require_writable(std::int64_t bytes) const;
  /// Replaces a `path.part` that no process holds, or a symbolic link, by a netCDF file without variables.
  /// @param version of the classic format: 2 or 5
  /// @throws RunError if another process holds it, or if it cannot be created
  void create(char version);
  /// Locks the file `path.part`, which must not be a symbolic link, and reserves disk space for `bytes`.
  void lock_and_reserve(std::int64_t bytes);
  /// Checks that `path.part` has the size that its header states, and writes the checksums.
  /// @param checksums checksums of the variables, in the order of the header
  void write_checksums(const std::vector<std::uint64_t>& checksums);
  /// Flushes `path.part` to the disk and renames it to `path`.
  void finish();
  /// Removes `path.part`.
  void remove();

 private:
  void require_unlocked(int file) const;
  void release();

  std::string path_, part_path_;
  int lock_ = -1;  ///< descriptor of the locked file
};

/// The state that the background jobs of a file share with its writer or reader. Only I/O ranks run jobs.
class FileJobs : public std::enable_shared_from_this<FileJobs> {
 public:
  FileJobs(const Ranks& ranks, std::string path);

  /// On I/O ranks: submits a job to the background thread. Jobs of the file after a failed one are skipped.
  /// @param bytes memory that the job holds
  void submit(std::int64_t bytes, std::function<void(FileJobs&)> job);
  /// Collective. Throws on all ranks if a job has failed on any rank.
  void check() const;
  /// Collective. Waits for all jobs, then checks.
  void wait();

  /// Collective over the I/O ranks, in a job. Runs `work` on I/O rank 0; if it throws, all I/O ranks throw.
  void run_on_io_root(const std::function<void()>& work) const;

  const Ranks& ranks() const { return ranks_; }
  PartFile& part() { return part_; }
  double waited_s() const { return waited_s_; }  ///< time that this rank waited for the background thread
  double worked_s() const;                       ///< time that jobs of this rank took

  std::unique_ptr<PnetcdfFile> file;
  std::atomic<bool> is_complete = false;  ///< set by the job that renames the file

 private:
  std::string failure() const;

  Ranks ranks_;
  PartFile part_;
  mutable std::mutex mutex_;
  std::string failure_;  ///< text of the first failure; empty: none
  double waited_s_ = 0, worked_s_ = 0;
};

}  // namespace halcyon::io
