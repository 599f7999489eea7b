#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"

namespace halcyon::schedule {
namespace {

enum BufferNumber : std::int32_t { kSend, kReceive, kWork, kPacked, kArrived };
enum Phase : std::uint64_t {
  kRotate,
  kPack,
  kReceiveMessage,
  kSendMessage,
  kStart,
  kWait,
  kUnpack,
  kReorder,
  kDone
};

// The position a distance after or before a position, cyclically in a group of n ranks.
Rank after(Rank position, Rank distance, Rank n) {
  const auto sum = position + distance;
  return sum < n ? sum : sum - n;
}

Rank before(Rank position, Rank distance, Rank n) {
  return position < distance ? position + n - distance : position - distance;
}

Operation copy_operation(Block from, Block to) {
  return {.action = Action::copy, .block = from, .target = to};
}

}  // namespace

/// Content of a cursor: phase, round, and for copies the slot of the block and its offset in the message.
struct BruckAlltoall::CursorState {
  std::uint64_t phase;
  Rank round, slot;
  std::int64_t offset;

  explicit CursorState(const Cursor& cursor)
      : phase(cursor.position >> 60),
        round(static_cast<Rank>(cursor.position >> 32 & 0xff)),
        slot(static_cast<Rank>(cursor.position & 0xffffffff)),
        offset(static_cast<std::int64_t>(cursor.detail)) {}

  Cursor cursor() const {
    return {phase << 60 | std::uint64_t(round) << 32 | std::uint64_t(slot), std::uint64_t(offset)};
  }
  Rank step() const { return Rank{1} << round; }
  bool is_packing_or_unpacking() const { return phase == kPack || phase == kUnpack; }
  /// Each round runs from kPack to kUnpack; a group of one rank has no rounds.
  void next_phase(std::int32_t n_rounds) {
    if (phase == kUnpack && round + 1 < n_rounds) {
      ++round;
      phase = kPack;
    } else {
      phase = phase == kRotate && n_rounds == 0 ? std::uint64_t{kReorder} : phase + 1;
    }
    slot = 0;
    offset = 0;
  }
};

BruckAlltoall::BruckAlltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks)
    : n_ranks_(n_ranks), groups_(groups), blocks_(std::move(blocks)), n_rounds_(0) {
  require_groups(n_ranks, groups);
  while ((std::int64_t{1} << n_rounds_) < groups.size) ++n_rounds_;
}

std::int64_t BruckAlltoall::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto group = groups_.group(rank), position = groups_.position(rank), last = groups_.size - 1;
  switch (buffer) {
    case kSend:
      return blocks_->sent(group, position, last).end();
    case kReceive:
      return blocks_->received(group, last, position).end();
    case kWork:
      return groups_.size * blocks_->largest_bytes(group);
    default:  // a message has at most half of the blocks
      return groups_.size / 2 * blocks_->largest_bytes(group);
  }
}

/// Size of the block that a rank holds in a slot before the round of a step. The block has already travelled
/// the distance slot & (step - 1), the sum of the earlier steps.
std::int64_t BruckAlltoall::slot_bytes(Rank rank, Rank slot, Rank step) const {
  const auto from = before(groups_.position(rank), slot & (step - 1), groups_.size);
  return blocks_->bytes(groups_.group(rank), from, after(from, slot, groups_.size));
}

/// Size of the message that a rank forwards in the round of a step.
std::int64_t BruckAlltoall::forwarded_bytes(Rank rank, Rank step) const {
  const auto n = groups_.size;
  if (blocks_->is_uniform()) {
    const auto n_blocks = n / (2 * step) * step + std::max(n % (2 * step) - step, 0);
    return n_blocks * blocks_->largest_bytes(groups_.group(rank));
  }
  std::int64_t bytes = 0;
  for (Rank slot = step; slot < n; ++slot)
    if (slot & step) bytes += slot_bytes(rank, slot, step);
  return bytes;
}

bool BruckAlltoall::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto n = groups_.size, position = groups_.position(rank), group = groups_.group(rank);
  for (CursorState state(cursor); state.phase != kDone; state.next_phase(n_rounds_)) {
    const auto step = state.step();
    switch (state.phase) {
      case kReceiveMessage:
      case kSendMessage: {
        const bool sends = state.phase == kSendMessage;
        const auto peer = groups_.member(group, (sends ? after : before)(position, step, n));
        const auto bytes = forwarded_bytes(sends ? rank : peer, step);
        if (bytes == 0) continue;
        operation = {.action = sends ? Action::send : Action::receive,
                     .peer = peer,
                     .round = state.round,
                     .block = {sends ? kPacked : kArrived, 0, bytes}};
        break;
      }
      case kStart:
      case kWait:
        operation = {.action = state.phase == kStart ? Action::start : Action::wait, .round = state.round};
        break;
      default:
        if (!(blocks_->is_uniform() ? next_uniform_copy(rank, state, operation)
                                    : next_copy(rank, state, operation)))
          continue;
        cursor = state.cursor();
        return true;
    }
    state.next_phase(n_rounds_);
    cursor = state.cursor();
    return true;
  }
  cursor.position = std::uint64_t{kDone} << 60;
  return false;
}

/// Generates the next copy of the phase, of one non-empty block.
bool BruckAlltoall::next_copy(Rank rank, CursorState& state, Operation& operation) const {
  const auto n = groups_.size, position = groups_.position(rank), group = groups_.group(rank);
  const auto slot_width = blocks_->largest_bytes(group);  // bytes of a slot in the buffer "work"
  const auto step = state.step();
  for (; state.slot < n; ++state.slot) {
    if (state.is_packing_or_unpacking() && !(state.slot & step)) continue;
    const auto slot = state.slot;
    const auto range =
        state.phase == kRotate ? blocks_->sent(group, position, after(position, slot, n))
        : state.phase == kReorder
            ? blocks_->received(group, before(position, slot, n), position)
            : ByteRange{state.offset, slot_bytes(rank, slot, state.phase == kPack ? step : 2 * step)};
    const auto bytes = range.size_bytes;
    if (bytes == 0) continue;
    const Block work{kWork, slot * slot_width, bytes};
    const auto staged = [&](std::int32_t buffer) { return Block{buffer, range.offset_bytes, bytes}; };
    if (state.phase == kRotate) operation = copy_operation(staged(kSend), work);
    if (state.phase == kPack) operation = copy_operation(work, staged(kPacked));
    if (state.phase == kUnpack) operation = copy_operation(staged(kArrived), work);
    if (state.phase == kReorder) operation = copy_operation(work, staged(kReceive));
    if (state.is_packing_or_unpacking()) state.offset += bytes;
    ++state.slot;
    return true;
  }
  return false;
}

/// Generates the next copy of the phase for blocks of equal size (`width`), two copies per phase: for
/// rotation and reordering, the blocks before and after the wrap-around; for packing and unpacking, the
/// complete runs of `step` forwarded blocks, and the incomplete last run. `state.slot` counts the copies. A
/// `Block` is {buffer, offset, size, count, stride}.
bool BruckAlltoall::next_uniform_copy(Rank rank, CursorState& state, Operation& operation) const {
  const std::int64_t n = groups_.size, position = groups_.position(rank), step = state.step();
  const auto width = blocks_->largest_bytes(groups_.group(rank));
  for (; state.slot < 2 && width > 0;) {
    const bool second = state.slot++ == 1;
    const auto n_runs = n / (2 * step), last_run_blocks = n % (2 * step) - step;
    if (state.phase == kRotate) {
      const auto first_slot = second ? n - position : 0, count = second ? position : n - position;
      operation = copy_operation({kSend, second ? 0 : position * width, count * width},
                                 {kWork, first_slot * width, count * width});
    } else if (state.phase == kReorder) {
      const auto first_slot = second ? position + 1 : 0, count = second ? n - 1 - position : position + 1;
      operation = copy_operation({kWork, first_slot * width, width, count, width},
                                 {kReceive, (second ? n - 1 : position) * width, width, count, -width});
    } else {
      const auto bytes = (second ? last_run_blocks : step) * width,
                 count = second ? (last_run_blocks > 0) : n_runs;
      const Block work{kWork, (second ? n_runs * 2 * step + step : step) * width, bytes, count,
                       2 * step * width};
      const Block packed{state.phase == kPack ? kPacked : kArrived, second ? n_runs * step * width : 0, bytes,
                         count, step * width};
      operation = state.phase == kPack ? copy_operation(work, packed) : copy_operation(packed, work);
    }
    if (operation.block.count > 0 && operation.block.size_bytes > 0) return true;
  }
  return false;
}

}  // namespace halcyon::schedule
