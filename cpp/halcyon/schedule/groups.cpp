#include "halcyon/schedule/groups.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

InGroups::InGroups(Rank n_ranks, std::vector<Group> groups)
    : groups_(std::move(groups)), group_of_(n_ranks, -1), position_(n_ranks, 0) {
  require<ConfigError>(!groups_.empty(), "There are no groups of ranks. Give one or more.");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& [members, schedule] = groups_[g];
    require<ConfigError>(std::ssize(members) == schedule->n_ranks(),
                         "A group of {} ranks has a schedule of {} ranks. Give equal numbers.",
                         members.size(), schedule->n_ranks());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto rank = members[i];
      require<ConfigError>(rank >= 0 && rank < n_ranks && group_of_[rank] < 0,
                           "Rank {} is not one of {} ranks, or is in two groups.", rank, n_ranks);
      group_of_[rank] = static_cast<std::int32_t>(g);
      position_[rank] = static_cast<Rank>(i);
    }
    detail_bits_ = std::max(detail_bits_, schedule->detail_bits());
    buffers_.add(*schedule);
  }
}

std::int64_t InGroups::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto group = group_of_[rank];
  if (group < 0) return 0;
  return buffers_.bytes(group, *groups_[group].schedule, position_[rank], buffer);
}

bool InGroups::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto group = group_of_[rank];
  if (group < 0 || !groups_[group].schedule->next(position_[rank], cursor, operation)) return false;
  if (operation.peer >= 0) operation.peer = groups_[group].members[operation.peer];
  buffers_.renumber(group, operation);
  return true;
}

Renamed::Renamed(SchedulePointer schedule, const std::map<std::string, std::string>& names)
    : schedule_(std::move(schedule)), buffers_(schedule_->buffers()) {
  for (auto& buffer : buffers_)
    if (const auto name = names.find(buffer.name); name != names.end()) buffer = {name->second, false};
}

}  // namespace halcyon::schedule
