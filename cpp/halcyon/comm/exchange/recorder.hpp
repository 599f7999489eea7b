#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::comm {

/// Writes down what the exchanges of a rank do in a run, and how long the rank was busy otherwise before each
/// part of them: `schedule::Recorded` replays it. Exchanges that are made on a communicator while it records
/// (`Communicator::record`) take part. Where a schedule computes, or waits for the first time, a part ends
/// and another begins. Messages outside schedules count as the rank's own work; the making of exchanges does
/// not count.
class Recorder {
 public:
  /// Collective. To be asked before a run of hours, whose record is written at its end.
  /// @throws RunError, on all ranks, where `write` could not write
  static void require_writable(const Communicator& comm, const std::filesystem::path& path);

  /// Takes an exchange. @returns the number of its first part
  std::int32_t add(const schedule::Schedule& schedule, Rank rank);

  /// A part begins, and ends; it does so while no other one is at it.
  void begin(std::int32_t part);
  void end() { idle_since_ = Clock::now(); }

  /// This rank's share of the record.
  const schedule::Record& record() const { return record_; }

  /// Collective. Writes what all ranks have recorded so far, as `schedule::Recorded::write` does.
  /// @throws RunError, on all ranks, where it cannot be written
  void write(const Communicator& comm, const std::filesystem::path& path) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<std::int32_t> take_buffers(const schedule::Schedule& schedule, Rank rank);

  std::vector<schedule::Buffer> buffers_;
  schedule::Record record_;
  std::int32_t n_rounds_ = 0;
  Clock::time_point idle_since_ = Clock::now();
};

}  // namespace halcyon::comm
