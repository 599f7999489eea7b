#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

using SchedulePointer = std::shared_ptr<const Schedule>;

/// The buffers of several schedules, which share those of the same name.
class SharedBuffers {
 public:
  /// Adds the buffers of the next schedule. A shared buffer is scratch if it is so in all that have it.
  void add(const Schedule& schedule);
  const std::vector<Buffer>& buffers() const { return buffers_; }
  /// Size of a shared buffer in the i-th schedule that was added; 0 if it has none of this name.
  std::int64_t bytes(std::int64_t i, const Schedule& schedule, Rank rank, std::int32_t buffer) const;
  /// Replaces the buffers of an operation of the i-th schedule by the shared ones.
  void renumber(std::int64_t i, Operation& operation) const {
    const auto& numbers = numbers_[i];
    if (are_equal_ || numbers.empty()) return;
    operation.block.buffer = numbers[operation.block.buffer];
    operation.target.buffer = numbers[operation.target.buffer];
  }

 private:
  std::vector<Buffer> buffers_;
  std::vector<std::vector<std::int32_t>> numbers_;  ///< (schedule, buffer of the schedule) shared buffer
  bool are_equal_ = true;                           ///< the numbers of every schedule are 0, 1, 2 ...
};

/// Schedules (parts) that are executed one after the other, repeated a number of times. Parts share buffers
/// of the same name, with the largest size needed. Stages are numbered over all parts and repetitions.
class Sequence final : public Schedule {
 public:
  /// @throws ConfigError for no parts, parts with different numbers of ranks, fewer than 1 repetitions, or
  /// more repetitions than a cursor can count
  explicit Sequence(std::vector<SchedulePointer> parts, std::int64_t repetitions = 1);

  Rank n_ranks() const override { return parts_.front()->n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_.buffers(); }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  std::int32_t n_stages() const override;
  std::int32_t stage(const Cursor& cursor) const override;
  int detail_bits() const override { return inner_bits_ + part_bits_ + repetition_bits_; }

 private:
  Cursor inner_cursor(const Cursor& cursor) const {
    return {cursor.position, cursor.detail & ((std::uint64_t{1} << inner_bits_) - 1)};
  }
  Cursor outer_cursor(const Cursor& cursor, const Cursor& inner) const {
    return {inner.position, (cursor.detail >> inner_bits_ << inner_bits_) | inner.detail};
  }
  struct Position {
    std::int64_t repetition, part;
  };
  Position position(const Cursor& cursor) const {
    const auto upper_bits = cursor.detail >> inner_bits_;
    return {static_cast<std::int64_t>(upper_bits >> part_bits_),
            static_cast<std::int64_t>(upper_bits & ((std::uint64_t{1} << part_bits_) - 1))};
  }

  std::vector<SchedulePointer> parts_;
  std::int64_t repetitions_;
  SharedBuffers buffers_;                    ///< of the parts
  std::vector<std::int32_t> stages_before_;  ///< (n_parts + 1) stages before each part in one repetition
  /// Widths of the fields of a cursor's detail, lowest first: detail of the part's cursor, part, repetition.
  int inner_bits_ = 0, part_bits_ = 0, repetition_bits_ = 0;
};

inline Sequence repeated(SchedulePointer schedule, std::int64_t times) {
  return Sequence({std::move(schedule)}, times);
}

/// A piece of work of every rank, without messages. In a sequence it is part of the next stage, or of the
/// last stage if none follows.
class Computation final : public Schedule {
 public:
  /// @param seconds returns the duration on a rank [s]
  Computation(Rank n_ranks, std::int32_t work, std::function<double(Rank)> seconds)
      : n_ranks_(n_ranks), work_(work), seconds_(std::move(seconds)) {}
  Computation(Rank n_ranks, std::int32_t work, double seconds)
      : Computation(n_ranks, work, [seconds](Rank) { return seconds; }) {}

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank, std::int32_t) const override { return 0; }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  std::int32_t n_stages() const override { return 0; }
  int detail_bits() const override { return 0; }

 private:
  Rank n_ranks_;
  std::int32_t work_;
  std::function<double(Rank)> seconds_;
  std::vector<Buffer> buffers_;
};

}  // namespace halcyon::schedule
