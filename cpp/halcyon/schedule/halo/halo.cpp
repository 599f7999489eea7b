#include "halcyon/schedule/halo/halo.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

enum Phase : std::uint64_t { kPack, kReceive, kSend, kStart, kWait, kUnpack, kDone };

/// Content of the position of a cursor. The detail of the cursor is the offset in the staging buffer.
struct CursorState {
  std::uint64_t phase, neighbour, field, item;

  explicit CursorState(const Cursor& cursor)
      : phase(cursor.position >> 60),
        neighbour(cursor.position >> 40 & 0xfffff),
        field(cursor.position >> 32 & 0xff),
        item(cursor.position & 0xffffffff) {}
  CursorState(std::uint64_t phase, std::uint64_t neighbour)
      : phase(phase), neighbour(neighbour), field(0), item(0) {}

  std::uint64_t position() const { return phase << 60 | neighbour << 40 | field << 32 | item; }
};

bool are_consecutive(std::span<const LocalIndex> items) {
  return std::ranges::adjacent_find(items, [](auto a, auto b) { return b != a + 1; }) == items.end();
}

/// Number of consecutive items, starting with the item at index `begin`.
std::size_t run_length(std::span<const LocalIndex> items, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < items.size() && items[end] == items[end - 1] + 1) ++end;
  return end - begin;
}

}  // namespace

Halo::Halo(Rank n_ranks, std::vector<HaloField> fields, std::function<const Neighbours&(Rank)> neighbours_of,
           Unpack unpack)
    : n_ranks_(n_ranks),
      fields_(std::move(fields)),
      neighbours_of_(std::move(neighbours_of)),
      unpack_(unpack) {
  require<InternalError>(!fields_.empty() && fields_.size() < 256,
                         "A halo exchange has {} fields. Give 1 to 255.", fields_.size());
  for (const auto& field : fields_)
    require<ConfigError>(field.layers >= 0, "A field has {} halo layers. Give 0 (all) or more.",
                         field.layers);
  for (const auto& field : fields_)
    require<InternalError>(field.offset_bytes >= 0 && field.offset_bytes + field.item_bytes <= field.stride(),
                           "A part of {} bytes at offset {} is outside an item of {} bytes.",
                           field.item_bytes, field.offset_bytes, field.stride());
  for (std::size_t i = 0; i < fields_.size(); ++i) buffers_.push_back({fmt::format("field {}", i)});
  buffers_.push_back({"send", true});
  buffers_.push_back({"receive", true});
}

std::span<const LocalIndex> Halo::items(const HaloNeighbour& neighbour, std::size_t field,
                                        Direction direction) const {
  const auto& lists = neighbour.items[fields_[field].entity];
  return (direction == Direction::send ? lists.send : lists.receive).of_layers(fields_[field].layers);
}

std::int64_t Halo::message_bytes(const HaloNeighbour& neighbour, Direction direction) const {
  std::int64_t bytes = 0;
  for (std::size_t field = 0; field < fields_.size(); ++field)
    bytes += fields_[field].item_bytes * static_cast<std::int64_t>(items(neighbour, field, direction).size());
  return bytes;
}

bool Halo::is_in_place(const Neighbours& neighbours, Direction direction) const {
  return unpack_ == Unpack::none && fields_.size() == 1 && fields_[0].is_whole() &&
         std::ranges::all_of(neighbours, [this, direction](const auto& neighbour) {
           return are_consecutive(items(neighbour, 0, direction));
         });
}

Block Halo::block_in_field(const HaloNeighbour& neighbour, Direction direction) const {
  const auto list = items(neighbour, 0, direction);
  const auto item_bytes = fields_[0].item_bytes;
  return {0, list.front() * item_bytes, static_cast<std::int64_t>(list.size()) * item_bytes};
}

std::int64_t Halo::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t bytes = 0;
  const auto& neighbours = neighbours_of_(rank);
  if (buffer == send_buffer() && is_in_place(neighbours, Direction::send)) return 0;
  if (buffer == receive_buffer() && is_in_place(neighbours, Direction::receive)) return 0;
  for (const auto& neighbour : neighbours) {
    if (buffer == send_buffer()) {
      bytes += message_bytes(neighbour, Direction::send);
    } else if (buffer == receive_buffer()) {
      bytes += message_bytes(neighbour, Direction::receive);
    } else {
      for (const auto direction : {Direction::send, Direction::receive})
        for (const auto item : items(neighbour, buffer, direction))
          bytes = std::max(bytes, fields_[buffer].offset_of(item) + fields_[buffer].item_bytes);
    }
  }
  return bytes;
}

bool Halo::next(Rank rank, Cursor& cursor, Operation& operation) const {
  require<InternalError>(rank >= 0 && rank < n_ranks_, "There is no rank {} in a schedule of {} ranks.", rank,
                         n_ranks_);
  const auto& neighbours = neighbours_of_(rank);
  for (;;) {
    bool has_operation = false;
    const auto phase = CursorState(cursor).phase;
    switch (phase) {
      case kPack:
        has_operation = next_copy(neighbours, cursor, Direction::send, operation);
        break;
      case kReceive:
        has_operation = next_message(neighbours, cursor, Direction::receive, operation);
        break;
      case kSend:
        has_operation = next_message(neighbours, cursor, Direction::send, operation);
        break;
      case kStart:
        has_operation = next_round(neighbours, cursor, Action::start, operation);
        break;
      case kWait:
        has_operation = next_round(neighbours, cursor, Action::wait, operation);
        break;
      case kUnpack:
        has_operation = next_copy(neighbours, cursor, Direction::receive, operation);
        break;
      default:
        return false;
    }
    if (has_operation) return true;
    if (phase == kUnpack && advance_to_next_wait(neighbours, cursor)) continue;
    cursor = {(phase + 1) << 60, 0};
  }
}

/// Starts or waits for a round. If messages are unpacked one by one, each wait is followed by the unpacking.
bool Halo::next_round(const Neighbours& neighbours, Cursor& cursor, Action action,
                      Operation& operation) const {
  CursorState state(cursor);
  const bool one_by_one = unpack_ == Unpack::singly;
  if (state.neighbour >= (one_by_one ? neighbours.size() : 1)) return false;
  operation = {.action = action, .round = static_cast<std::int32_t>(state.neighbour)};
  if (one_by_one && action == Action::wait)
    state.phase = kUnpack;
  else
    ++state.neighbour;
  cursor.position = state.position();
  return true;
}

/// If messages are unpacked one by one, advances to the wait for the next neighbour.
bool Halo::advance_to_next_wait(const Neighbours& neighbours, Cursor& cursor) const {
  const CursorState state(cursor);
  if (unpack_ != Unpack::singly || state.neighbour + 1 >= neighbours.size()) return false;
  cursor.position = CursorState(kWait, state.neighbour + 1).position();
  return true;
}

/// Packs a run of items into the send buffer, or unpacks a run of items from the receive buffer.
bool Halo::next_copy(const Neighbours& neighbours, Cursor& cursor, Direction direction,
                     Operation& operation) const {
  if (is_in_place(neighbours, direction)) return false;
  const bool one_by_one = direction == Direction::receive && unpack_ == Unpack::singly;
  const auto end =
      one_by_one ? std::min(CursorState(cursor).neighbour + 1, neighbours.size()) : neighbours.size();
  for (CursorState state(cursor); state.neighbour < end; ++state.neighbour, state.field = 0) {
    const auto& neighbour = neighbours[state.neighbour];
    for (; state.field < fields_.size(); ++state.field, state.item = 0) {
      const auto list = items(neighbour, state.field, direction);
      if (state.item >= list.size()) continue;
      const auto& field = fields_[state.field];
      const auto run = field.is_whole() ? run_length(list, state.item) : 1;
      const auto bytes = static_cast<std::int64_t>(run) * field.item_bytes;
      const Block in_field{static_cast<std::int32_t>(state.field), field.offset_of(list[state.item]), bytes};
      const Block staged{direction == Direction::send ? send_buffer() : receive_buffer(),
                         static_cast<std::int64_t>(cursor.detail), bytes};
      operation = direction == Direction::send
                      ? Operation{.action = Action::copy, .block = in_field, .target = staged}
                      : Operation{.action = Action::copy, .block = staged, .target = in_field};
      state.item += run;
      cursor = {state.position(), cursor.detail + static_cast<std::uint64_t>(bytes)};
      return true;
    }
  }
  return false;
}

bool Halo::next_message(const Neighbours& neighbours, Cursor& cursor, Direction direction,
                        Operation& operation) const {
  for (CursorState state(cursor); state.neighbour < neighbours.size(); ++state.neighbour) {
    const auto& neighbour = neighbours[state.neighbour];
    const auto bytes = message_bytes(neighbour, direction);
    if (bytes == 0) continue;
    const auto staging = direction == Direction::send ? send_buffer() : receive_buffer();
    operation = {.action = direction == Direction::send ? Action::send : Action::receive,
                 .peer = neighbour.rank,
                 .round = unpack_ == Unpack::singly ? static_cast<std::int32_t>(state.neighbour) : 0,
                 .block = is_in_place(neighbours, direction)
                              ? block_in_field(neighbour, direction)
                              : Block{staging, static_cast<std::int64_t>(cursor.detail), bytes}};
    ++state.neighbour;
    cursor = {state.position(), cursor.detail + static_cast<std::uint64_t>(bytes)};
    return true;
  }
  return false;
}

}  // namespace halcyon::schedule
