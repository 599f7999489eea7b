#include "halcyon/schedule/schedule.hpp"

#include <algorithm>
#include <map>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

/// Checks the operations of a rank against the rules in `Action`.
class Checker {
 public:
  Checker(const Schedule& schedule, Rank rank) : schedule_(schedule), rank_(rank) {
    const auto n_buffers = static_cast<std::int32_t>(schedule.buffers().size());
    for (std::int32_t b = 0; b < n_buffers; ++b) buffer_bytes_.push_back(schedule.buffer_bytes(rank, b));
  }

  void check_all() {
    Cursor cursor;
    for (Operation operation; schedule_.next(rank_, cursor, operation);) check_operation(operation);
    for (const auto& [round, started] : open_rounds_) {
      require<InternalError>(started, "Rank {} adds messages to round {} and never starts it.", rank_, round);
      require<InternalError>(!started, "Rank {} never waits for round {}.", rank_, round);
    }
  }

 private:
  void check_operation(const Operation& operation) {
    const auto round = open_rounds_.find(operation.round);
    const bool started = round != open_rounds_.end() && round->second;
    switch (operation.action) {
      case Action::send:
      case Action::receive:
        require<InternalError>(operation.peer >= 0 && operation.peer < schedule_.n_ranks(),
                               "Rank {} exchanges a message with rank {} in a schedule of {} ranks.", rank_,
                               operation.peer, schedule_.n_ranks());
        require<InternalError>(!started, "Rank {} adds a message to round {}, which has already started.",
                               rank_, operation.round);
        require_one_range(operation.block);
        open_rounds_[operation.round] = false;
        break;
      case Action::start:
        require<InternalError>(!started, "Rank {} starts round {} twice.", rank_, operation.round);
        open_rounds_[operation.round] = true;
        break;
      case Action::wait:
        require<InternalError>(started, "Rank {} waits for round {}, which has not started.", rank_,
                               operation.round);
        open_rounds_.erase(operation.round);
        break;
      case Action::combine:
        require_one_range(operation.block);
        require_one_range(operation.target);
        require_same_size(operation);
        break;
      case Action::copy:
        require_inside_buffer(operation.block);
        require_inside_buffer(operation.target);
        require_same_size(operation);
        break;
      case Action::compute:
        break;
    }
  }

  void require_one_range(const Block& block) const {
    require<InternalError>(block.count == 1,
                           "Rank {} has a message or combination of {} ranges. Pack it into one range first.",
                           rank_, block.count);
    require_inside_buffer(block);
  }

  void require_same_size(const Operation& operation) const {
    require<InternalError>(operation.block.size_bytes == operation.target.size_bytes &&
                               operation.block.count == operation.target.count,
                           "Rank {} copies or combines {} ranges of {} bytes with {} ranges of {} bytes.",
                           rank_, operation.block.count, operation.block.size_bytes, operation.target.count,
                           operation.target.size_bytes);
  }

  void require_inside_buffer(const Block& block) const {
    require<InternalError>(block.buffer >= 0 && block.buffer < std::ssize(buffer_bytes_),
                           "Rank {} uses buffer {}, but there are {} buffers.", rank_, block.buffer,
                           buffer_bytes_.size());
    const auto size = buffer_bytes_[block.buffer];
    const auto last_offset = block.offset_bytes + (block.count - 1) * block.stride_bytes;
    require<InternalError>(block.size_bytes >= 0 && block.count >= 0 &&
                               std::min(block.offset_bytes, last_offset) >= 0 &&
                               std::max(block.offset_bytes, last_offset) <= size - block.size_bytes,
                           "Rank {} has a block of {} bytes at {}, outside buffer {} of {} bytes.", rank_,
                           block.size_bytes, block.offset_bytes, block.buffer, size);
  }

  const Schedule& schedule_;
  Rank rank_;
  std::vector<std::int64_t> buffer_bytes_;
  std::map<std::int32_t, bool> open_rounds_;  ///< rounds with messages; true after the start
};

}  // namespace

void check(const Schedule& schedule, Rank rank) {
  Checker(schedule, rank).check_all();
}

}  // namespace halcyon::schedule
