#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "halcyon/io/background.hpp"
#include "halcyon/io/classic.hpp"
#include "halcyon/io/part_file.hpp"
#include "halcyon/io/ranks.hpp"

namespace halcyon::io {

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
