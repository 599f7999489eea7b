#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::comm {

/// Records the exchanges of a rank in a run, for replay by `schedule::RecordedSchedule`. A schedule is cut
/// into parts, at each compute operation and before its first wait. Stores the operations of each part and,
/// for each execution of a part, the time since the previous part ended, as computing time of the rank. This
/// time includes communication without a schedule, but not the creation of exchanges. Exchanges are recorded
/// if they are created on a communicator with a recorder (`Communicator::set_recorder`).
class Recorder {
 public:
  /// Collective. Checks, before a long run, that the record can be written at the end of the run.
  /// @throws RunError, on all ranks, if the file cannot be written
  static void require_writable(const Communicator& comm, const std::filesystem::path& path);

  /// Registers an exchange. @returns the number of its first part
  std::int32_t add(const schedule::Schedule& schedule, Rank rank);

  /// To be called when the execution of a part begins and ends. Executions must not overlap.
  void begin(std::int32_t part);
  void end() { last_end_ = Clock::now(); }

  const schedule::RankRecord& record() const { return record_; }

  /// Collective. Writes the records of all ranks so far, in the format of
  /// `schedule::RecordedSchedule::write`.
  /// @throws RunError, on all ranks, if the file cannot be written
  void write(const Communicator& comm, const std::filesystem::path& path) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<std::int32_t> register_buffers(const schedule::Schedule& schedule, Rank rank);

  std::vector<schedule::Buffer> buffers_;
  schedule::RankRecord record_;
  std::int32_t n_rounds_ = 0;  ///< of all registered exchanges
  Clock::time_point last_end_ = Clock::now();
};

}  // namespace halcyon::comm
