#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "halcyon/io/background.hpp"
#include "halcyon/io/classic.hpp"
#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

/// The file `path.part` that becomes `path` when it is whole; used by one rank. While it lives no other
/// process may write the same file, where the file system has locks.
class PartFile {
 public:
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  const std::string& part() const { return part_; }

  /// Checks that nobody else writes it, and that so many bytes fit on the disk.
  /// @throws RunError that names what it needs and what is free
  void prepare(std::int64_t bytes);
  /// Takes the lock of the part, which exists now, and reserves its bytes.
  void hold(std::int64_t bytes);
  /// Checks that the part has the size that its header promises, and puts in the checksums.
  /// @param checksums of the variables, in the header's order
  void stamp(const std::vector<std::uint64_t>& checksums);
  /// Brings the part to the disk and gives it its name.
  void finish();
  /// Brings another file to the disk, gives it the name, and removes the part.
  void finish_with(const std::string& other);

 private:
  void sync(const std::string& file) const;
  void name(const std::string& file);

  std::string path_, part_;
  int lock_ = -1;
};

/// What the jobs of a file share with its writer. On ranks that do not touch the file jobs are not run.
class FileJobs : public std::enable_shared_from_this<FileJobs> {
 public:
  FileJobs(const Ranks& ranks, std::string path);

  /// Gives a job to the I/O ranks; those of a file that has failed are left out.
  void submit(std::int64_t bytes, std::function<void(FileJobs&)> job);
  /// Collective. Throws on all ranks what went wrong so far on any.
  void check() const;
  /// Collective. Waits for all jobs, then checks.
  void wait();

  /// Collective on the I/O ranks, within a job: rank 0 does something that may fail for all.
  void on_root(const std::function<void()>& work) const;

  const Ranks& ranks() const { return ranks_; }
  PartFile& part() { return part_; }
  double waited_s() const { return waited_s_; }
  double worked_s() const;

  std::unique_ptr<Classic> file;
  std::atomic<bool> is_whole = false;  ///< set by the job that gives the file its name

 private:
  std::string failure() const;

  Ranks ranks_;
  PartFile part_;
  mutable std::mutex mutex_;
  std::string failure_;
  double waited_s_ = 0, worked_s_ = 0;
};

}  // namespace halcyon::io
