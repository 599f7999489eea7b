#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"

namespace halcyon::schedule {

namespace {

enum BufferNumber : std::int32_t { kSend, kReceive, kWork, kPacked, kArrived };
enum Phase : std::uint64_t { kRotate, kPack, kAwait, kGive, kStart, kWait, kUnpack, kOrder, kDone };

Rank after(Rank position, Rank distance, Rank n) {
  const auto sum = position + distance;
  return sum < n ? sum : sum - n;
}

Rank before(Rank position, Rank distance, Rank n) {
  return position < distance ? position + n - distance : position - distance;
}

Operation copied(Block from, Block to) {
  return {.action = Action::copy, .block = from, .target = to};
}

}  // namespace

/// What a cursor holds: the phase of a round, and for copies the slot of the block and the offset among those
/// that travel.
struct Bruck::Place {
  std::uint64_t phase;
  Rank round, slot;
  std::int64_t offset;

  explicit Place(const Cursor& cursor)
      : phase(cursor.position >> 60),
        round(static_cast<Rank>(cursor.position >> 32 & 0xff)),
        slot(static_cast<Rank>(cursor.position & 0xffffffff)),
        offset(static_cast<std::int64_t>(cursor.detail)) {}

  Cursor cursor() const {
    return {phase << 60 | std::uint64_t(round) << 32 | std::uint64_t(slot), std::uint64_t(offset)};
  }
  Rank step() const { return Rank{1} << round; }
  bool travels() const { return phase == kPack || phase == kUnpack; }
  void go_on(std::int32_t n_rounds) {
    if (phase == kUnpack && round + 1 < n_rounds) {
      ++round;
      phase = kPack;
    } else {
      phase = phase == kRotate && n_rounds == 0 ? std::uint64_t{kOrder} : phase + 1;
    }
    slot = 0;
    offset = 0;
  }
};

Bruck::Bruck(Rank n_ranks, Groups groups, BlocksPointer blocks)
    : n_ranks_(n_ranks), groups_(groups), blocks_(std::move(blocks)), n_rounds_(0) {
  require_groups(n_ranks, groups);
  while ((std::int64_t{1} << n_rounds_) < groups.size) ++n_rounds_;
}

std::int64_t Bruck::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto group = groups_.group(rank), at = groups_.position(rank), last = groups_.size - 1;
  switch (buffer) {
    case kSend:
      return blocks_->sent(group, at, last).end();
    case kReceive:
      return blocks_->received(group, last, at).end();
    case kWork:
      return groups_.size * blocks_->largest_bytes(group);
    default:
      return groups_.size / 2 * blocks_->largest_bytes(group);
  }
}

/// The block in a slot before the round of a step: the slot says how far it goes from where it began, its
/// bits below the step how far it has come.
std::int64_t Bruck::slot_bytes(Rank rank, Rank slot, Rank step) const {
  const auto from = before(groups_.position(rank), slot & (step - 1), groups_.size);
  return blocks_->bytes(groups_.group(rank), from, after(from, slot, groups_.size));
}

/// What a rank hands on in the round of a step.
std::int64_t Bruck::travelling_bytes(Rank rank, Rank step) const {
  const auto n = groups_.size;
  if (blocks_->even()) {
    const auto n_blocks = n / (2 * step) * step + std::max(n % (2 * step) - step, 0);
    return n_blocks * blocks_->largest_bytes(groups_.group(rank));
  }
  std::int64_t bytes = 0;
  for (Rank slot = step; slot < n; ++slot) {
    if (slot & step) bytes += slot_bytes(rank, slot, step);
  }
  return bytes;
}

bool Bruck::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto n = groups_.size, at_group = groups_.position(rank), group = groups_.group(rank);
  for (Place at(cursor); at.phase != kDone; at.go_on(n_rounds_)) {
    const auto step = at.step();
    switch (at.phase) {
      case kAwait:
      case kGive: {
        const bool gives = at.phase == kGive;
        const auto peer = groups_.member(group, (gives ? after : before)(at_group, step, n));
        const auto bytes = travelling_bytes(gives ? rank : peer, step);
        if (bytes == 0) continue;
        operation = {.action = gives ? Action::send : Action::receive,
                     .peer = peer,
                     .round = at.round,
                     .block = {gives ? kPacked : kArrived, 0, bytes}};
        break;
      }
      case kStart:
      case kWait:
        operation = {.action = at.phase == kStart ? Action::start : Action::wait, .round = at.round};
        break;
      default:
        if (!(blocks_->even() ? next_even_copy(rank, at, operation) : next_copy(rank, at, operation)))
          continue;
        cursor = at.cursor();
        return true;
    }
    at.go_on(n_rounds_);
    cursor = at.cursor();
    return true;
  }
  cursor.position = std::uint64_t{kDone} << 60;
  return false;
}

/// The next block that is not empty, from where it lies to where it goes.
bool Bruck::next_copy(Rank rank, Place& at, Operation& operation) const {
  const auto n = groups_.size, position = groups_.position(rank), group = groups_.group(rank);
  const auto width = blocks_->largest_bytes(group);
  const auto step = at.step();
  for (; at.slot < n; ++at.slot) {
    if (at.travels() && !(at.slot & step)) continue;
    const auto slot = at.slot;
    const auto range = at.phase == kRotate ? blocks_->sent(group, position, after(position, slot, n))
                       : at.phase == kOrder
                           ? blocks_->received(group, before(position, slot, n), position)
                           : Range{at.offset, slot_bytes(rank, slot, at.phase == kPack ? step : 2 * step)};
    const auto bytes = range.size_bytes;
    if (bytes == 0) continue;
    const Block work{kWork, slot * width, bytes};
    const auto other = [&](std::int32_t buffer) { return Block{buffer, range.offset_bytes, bytes}; };
    if (at.phase == kRotate) operation = copied(other(kSend), work);
    if (at.phase == kPack) operation = copied(work, other(kPacked));
    if (at.phase == kUnpack) operation = copied(other(kArrived), work);
    if (at.phase == kOrder) operation = copied(work, other(kReceive));
    if (at.travels()) at.offset += bytes;
    ++at.slot;
    return true;
  }
  return false;
}

/// The same for blocks of one size, many at once: those before and behind the place where the order turns, or
/// the runs of `step` blocks that travel and what is left of the last.
bool Bruck::next_even_copy(Rank rank, Place& at, Operation& operation) const {
  const std::int64_t n = groups_.size, position = groups_.position(rank), step = at.step();
  const auto width = blocks_->largest_bytes(groups_.group(rank));
  for (; at.slot < 2 && width > 0;) {
    const bool second = at.slot++ == 1;
    const auto n_runs = n / (2 * step), left = n % (2 * step) - step;
    if (at.phase == kRotate) {
      const auto first = second ? n - position : 0, count = second ? position : n - position;
      operation = copied({kSend, second ? 0 : position * width, count * width},
                         {kWork, first * width, count * width});
    } else if (at.phase == kOrder) {
      const auto first = second ? position + 1 : 0, count = second ? n - 1 - position : position + 1;
      operation = copied({kWork, first * width, width, count, width},
                         {kReceive, (second ? n - 1 : position) * width, width, count, -width});
    } else {
      const auto bytes = (second ? left : step) * width, count = second ? (left > 0) : n_runs;
      const Block work{kWork, (second ? n_runs * 2 * step + step : step) * width, bytes, count,
                       2 * step * width};
      const Block travelling{at.phase == kPack ? kPacked : kArrived, second ? n_runs * step * width : 0,
                             bytes, count, step * width};
      operation = at.phase == kPack ? copied(work, travelling) : copied(travelling, work);
    }
    if (operation.block.count > 0 && operation.block.size_bytes > 0) return true;
  }
  return false;
}

}  // namespace halcyon::schedule
