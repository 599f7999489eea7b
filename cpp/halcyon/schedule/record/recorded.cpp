#include "halcyon/schedule/record/recorded.hpp"

#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

Recorded::Recorded(std::vector<Buffer> buffers, std::vector<Record> records)
    : buffers_(std::move(buffers)), records_(std::move(records)) {
  for (std::size_t rank = 0; rank < records_.size(); ++rank) {
    const auto& [bytes, parts, events] = records_[rank];
    require<InputError>(bytes.size() == buffers_.size(), "Rank {} of a record has {} of {} buffers.", rank,
                        bytes.size(), buffers_.size());
    for (const auto& event : events) {
      require<InputError>(event.part >= 0 && event.part < std::ssize(parts),
                          "Rank {} of a record runs part {} of {}.", rank, event.part, parts.size());
    }
  }
}

/// A cursor's position is that of an event, its detail 0 before the computation, then the next operation of
/// the part and 1.
bool Recorded::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto& [bytes, parts, events] = records_[rank];
  for (; cursor.position < events.size(); cursor = {cursor.position + 1, 0}) {
    const auto& [part, compute_s] = events[cursor.position];
    if (cursor.detail == 0 && compute_s > 0) {
      operation = {.action = Action::compute, .seconds = compute_s};
      cursor.detail = 1;
      return true;
    }
    const auto at = cursor.detail == 0 ? 0 : cursor.detail - 1;
    if (at >= parts[part].size()) continue;
    operation = parts[part][at];
    cursor.detail = at + 2;
    return true;
  }
  return false;
}

}  // namespace halcyon::schedule
