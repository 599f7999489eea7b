#pragma once

#include <map>
#include <string>
#include <vector>

#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// Schedules that are executed side by side by disjoint groups of ranks, such as a collective in each node or
/// the jobs of a machine. Ranks in no group do nothing. The buffers of all schedules are shared by name.
class InGroups final : public Schedule {
 public:
  struct Group {
    std::vector<Rank> members;  ///< rank of each rank of `schedule`
    SchedulePointer schedule;
  };
  /// @throws ConfigError for no groups, members that are no ranks or in two groups, and schedules of another
  /// number of ranks
  InGroups(Rank n_ranks, std::vector<Group> groups);

  Rank n_ranks() const override { return static_cast<Rank>(group_of_.size()); }
  const std::vector<Buffer>& buffers() const override { return buffers_.buffers(); }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  int detail_bits() const override { return detail_bits_; }

 private:
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_;  ///< (rank) index into `groups_`, or -1
  std::vector<Rank> position_;          ///< (rank) in its group
  SharedBuffers buffers_;               ///< of the groups' schedules
  int detail_bits_ = 0;
};

/// A schedule with other names of its buffers, so that it shares them with others in a sequence.
class Renamed final : public Schedule {
 public:
  Renamed(SchedulePointer schedule, const std::map<std::string, std::string>& names);

  Rank n_ranks() const override { return schedule_->n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override {
    return schedule_->buffer_bytes(rank, buffer);
  }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override {
    return schedule_->next(rank, cursor, operation);
  }
  int detail_bits() const override { return schedule_->detail_bits(); }

 private:
  SchedulePointer schedule_;
  std::vector<Buffer> buffers_;
};

}  // namespace halcyon::schedule
