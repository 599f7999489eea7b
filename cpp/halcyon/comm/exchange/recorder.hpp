#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::comm {

/// Records the operations of the exchanges of a rank in a run, and the time that the rank spends outside of
/// them before each part, for replay by `schedule::RecordedSchedule`. Exchanges are recorded if they were
/// created on a communicator with a recorder (`Communicator::record`). The parts of a schedule end at each
/// compute operation and at its first wait. Communication outside of schedules counts as computation of the
/// rank; the creation of exchanges is not counted.
class Recorder {
 public:
  /// Collective. Checks, before a long run, that its record can be written at its end.
  /// @throws RunError, on all ranks, if the file cannot be written
  static void require_writable(const Communicator& comm, const std::filesystem::path& path);

  /// Registers an exchange. @returns the number of its first part
  std::int32_t add(const schedule::Schedule& schedule, Rank rank);

  /// Begin and end of the execution of a part. Parts do not overlap.
  void begin(std::int32_t part);
  void end() { idle_since_ = Clock::now(); }

  /// The record of this rank.
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
  std::int32_t n_rounds_ = 0;
  Clock::time_point idle_since_ = Clock::now();
};

}  // namespace halcyon::comm
