#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

using SchedulePointer = std::shared_ptr<const Schedule>;

/// Schedules one after the other, all of it so many times. Buffers of one name are one buffer, as large as
/// any of them needs. Its stages are those of its parts, counted on through the repetitions.
class Sequence final : public Schedule {
 public:
  /// @throws ConfigError where the parts have different numbers of ranks, there are none, the repetitions are
  ///         fewer than 1, or a cursor cannot hold the place
  explicit Sequence(std::vector<SchedulePointer> parts, std::int64_t repetitions = 1);

  Rank n_ranks() const override { return parts_.front()->n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  bool next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const override;
  std::int32_t n_stages() const override;
  std::int32_t stage(const Cursor& cursor) const override;
  int detail_bits() const override { return inner_bits_ + part_bits_ + turn_bits_; }

 private:
  void take_buffers();
  Cursor inside(const Cursor& cursor) const {
    return {cursor.position, cursor.detail & ((std::uint64_t{1} << inner_bits_) - 1)};
  }
  Cursor outside(const Cursor& cursor, const Cursor& inner) const {
    return {inner.position, (cursor.detail >> inner_bits_ << inner_bits_) | inner.detail};
  }
  struct Place {
    std::int64_t turn, part;
  };
  Place place(const Cursor& cursor) const {
    const auto own = cursor.detail >> inner_bits_;
    return {static_cast<std::int64_t>(own >> part_bits_),
            static_cast<std::int64_t>(own & ((std::uint64_t{1} << part_bits_) - 1))};
  }
  void rename(std::int64_t part, Operation& operation) const;

  std::vector<SchedulePointer> parts_;
  std::int64_t repetitions_;
  std::vector<Buffer> buffers_;
  std::vector<std::vector<std::int32_t>> numbers_;  ///< (part, its buffer) of the buffer here
  std::vector<std::int32_t> stages_before_;         ///< (parts + 1) in one repetition
  bool renames_ = false;
  int inner_bits_ = 0, part_bits_ = 0, turn_bits_ = 0;  ///< of a cursor's detail, from below
};

/// The same schedule so many times.
inline Sequence repeated(SchedulePointer schedule, std::int64_t times) {
  return Sequence({std::move(schedule)}, times);
}

/// A piece of work of every rank, without messages. It is no stage of its own: in a sequence it belongs to
/// the stage that follows, or to the last.
class Computation final : public Schedule {
 public:
  /// @param seconds that it takes a rank
  Computation(Rank n_ranks, std::int32_t work, std::function<double(Rank)> seconds)
      : n_ranks_(n_ranks), work_(work), seconds_(std::move(seconds)) {}
  /// @param seconds that it takes every rank
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
