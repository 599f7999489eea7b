#include "halcyon/schedule/halo/halo.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

enum Phase : std::uint64_t { kPack, kReceive, kSend, kStart, kWait, kUnpack, kDone };

/// What a cursor's position holds; its detail is the offset of the next item in the staging buffer.
struct Place {
  std::uint64_t phase, neighbour, field, item;

  explicit Place(const Cursor& cursor)
      : phase(cursor.position >> 60),
        neighbour(cursor.position >> 40 & 0xfffff),
        field(cursor.position >> 32 & 0xff),
        item(cursor.position & 0xffffffff) {}
  Place(std::uint64_t phase, std::uint64_t neighbour)
      : phase(phase), neighbour(neighbour), field(0), item(0) {}

  std::uint64_t position() const { return phase << 60 | neighbour << 40 | field << 32 | item; }
};

bool consecutive(std::span<const LocalIndex> items) {
  return std::ranges::adjacent_find(items, [](auto a, auto b) { return b != a + 1; }) == items.end();
}

/// How many items from `first` on lie one after another.
std::size_t run_length(std::span<const LocalIndex> items, std::size_t first) {
  std::size_t last = first + 1;
  while (last < items.size() && items[last] == items[last - 1] + 1) ++last;
  return last - first;
}

}  // namespace

Halo::Halo(Rank n_ranks, std::vector<HaloField> fields, std::function<const Neighbours&(Rank)> neighbours_of,
           Unpack unpack)
    : n_ranks_(n_ranks),
      fields_(std::move(fields)),
      neighbours_of_(std::move(neighbours_of)),
      unpack_(unpack) {
  require<InternalError>(!fields_.empty() && fields_.size() < 256,
                         "A halo exchange takes 1 to 255 fields, not {}.", fields_.size());
  for (const auto& field : fields_)
    require<ConfigError>(field.layers >= 0, "A field has {} halo layers, but must have 0 (all) or more.",
                         field.layers);
  for (const auto& field : fields_)
    require<InternalError>(field.offset_bytes >= 0 && field.offset_bytes + field.item_bytes <= field.stride(),
                           "{} bytes from {} on are no part of an item of {} bytes.", field.item_bytes,
                           field.offset_bytes, field.stride());
  for (std::size_t i = 0; i < fields_.size(); ++i) buffers_.push_back({fmt::format("field {}", i)});
  buffers_.push_back({"send", true});
  buffers_.push_back({"receive", true});
}

std::span<const LocalIndex> Halo::items(const HaloNeighbour& neighbour, std::size_t field, Way way) const {
  const auto& lists = neighbour.items[fields_[field].entity];
  return (way == Way::send ? lists.send : lists.receive).of_layers(fields_[field].layers);
}

std::int64_t Halo::message_bytes(const HaloNeighbour& neighbour, Way way) const {
  std::int64_t bytes = 0;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    bytes += fields_[field].item_bytes * static_cast<std::int64_t>(items(neighbour, field, way).size());
  }
  return bytes;
}

bool Halo::in_place(const Neighbours& neighbours, Way way) const {
  return unpack_ == Unpack::none && fields_.size() == 1 && fields_[0].is_whole() &&
         std::ranges::all_of(neighbours, [this, way](const auto& neighbour) {
           return consecutive(items(neighbour, 0, way));
         });
}

Block Halo::place(const HaloNeighbour& neighbour, Way way) const {
  const auto list = items(neighbour, 0, way);
  const auto item_bytes = fields_[0].item_bytes;
  return {0, list.front() * item_bytes, static_cast<std::int64_t>(list.size()) * item_bytes};
}

std::int64_t Halo::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t bytes = 0;
  const auto& neighbours = neighbours_of_(rank);
  if (buffer == send_buffer() && in_place(neighbours, Way::send)) return 0;
  if (buffer == receive_buffer() && in_place(neighbours, Way::receive)) return 0;
  for (const auto& neighbour : neighbours) {
    if (buffer == send_buffer()) {
      bytes += message_bytes(neighbour, Way::send);
    } else if (buffer == receive_buffer()) {
      bytes += message_bytes(neighbour, Way::receive);
    } else {
      for (const auto way : {Way::send, Way::receive}) {
        for (const auto item : items(neighbour, buffer, way)) {
          bytes = std::max(bytes, fields_[buffer].place(item) + fields_[buffer].item_bytes);
        }
      }
    }
  }
  return bytes;
}

bool Halo::next(Rank rank, Cursor& cursor, Operation& operation) const {
  require<InternalError>(rank >= 0 && rank < n_ranks_, "Rank {} of a schedule of {} ranks.", rank, n_ranks_);
  const auto& neighbours = neighbours_of_(rank);
  for (;;) {
    bool found = false;
    const auto phase = Place(cursor).phase;
    switch (phase) {
      case kPack:
        found = next_copy(neighbours, cursor, Way::send, operation);
        break;
      case kReceive:
        found = next_message(neighbours, cursor, Way::receive, operation);
        break;
      case kSend:
        found = next_message(neighbours, cursor, Way::send, operation);
        break;
      case kStart:
        found = next_round(neighbours, cursor, Action::start, operation);
        break;
      case kWait:
        found = next_round(neighbours, cursor, Action::wait, operation);
        break;
      case kUnpack:
        found = next_copy(neighbours, cursor, Way::receive, operation);
        break;
      default:
        return false;
    }
    if (found) return true;
    if (phase == kUnpack && waits_again(neighbours, cursor)) continue;
    cursor = {(phase + 1) << 60, 0};
  }
}

/// Starts a round, or waits for one; where each is unpacked singly, its copies come next.
bool Halo::next_round(const Neighbours& neighbours, Cursor& cursor, Action action,
                      Operation& operation) const {
  Place at(cursor);
  const bool singly = unpack_ == Unpack::singly;
  if (at.neighbour >= (singly ? neighbours.size() : 1)) return false;
  operation = {.action = action, .round = static_cast<std::int32_t>(at.neighbour)};
  if (singly && action == Action::wait)
    at.phase = kUnpack;
  else
    ++at.neighbour;
  cursor.position = at.position();
  return true;
}

/// Goes on to the wait for the next neighbour, where each is unpacked singly.
bool Halo::waits_again(const Neighbours& neighbours, Cursor& cursor) const {
  const Place at(cursor);
  if (unpack_ != Unpack::singly || at.neighbour + 1 >= neighbours.size()) return false;
  cursor.position = Place(kWait, at.neighbour + 1).position();
  return true;
}

/// Packs a run of items into the send buffer, or unpacks one from the receive buffer.
bool Halo::next_copy(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const {
  if (in_place(neighbours, way)) return false;
  const bool singly = way == Way::receive && unpack_ == Unpack::singly;
  const auto end = singly ? std::min(Place(cursor).neighbour + 1, neighbours.size()) : neighbours.size();
  for (Place at(cursor); at.neighbour < end; ++at.neighbour, at.field = 0) {
    const auto& neighbour = neighbours[at.neighbour];
    for (; at.field < fields_.size(); ++at.field, at.item = 0) {
      const auto list = items(neighbour, at.field, way);
      if (at.item >= list.size()) continue;
      const auto& field = fields_[at.field];
      const auto run = field.is_whole() ? run_length(list, at.item) : 1;
      const auto bytes = static_cast<std::int64_t>(run) * field.item_bytes;
      const Block in_field{static_cast<std::int32_t>(at.field), field.place(list[at.item]), bytes};
      const Block staged{way == Way::send ? send_buffer() : receive_buffer(),
                         static_cast<std::int64_t>(cursor.detail), bytes};
      operation = way == Way::send ? Operation{.action = Action::copy, .block = in_field, .target = staged}
                                   : Operation{.action = Action::copy, .block = staged, .target = in_field};
      at.item += run;
      cursor = {at.position(), cursor.detail + static_cast<std::uint64_t>(bytes)};
      return true;
    }
  }
  return false;
}

bool Halo::next_message(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const {
  for (Place at(cursor); at.neighbour < neighbours.size(); ++at.neighbour) {
    const auto& neighbour = neighbours[at.neighbour];
    const auto bytes = message_bytes(neighbour, way);
    if (bytes == 0) continue;
    const auto staging = way == Way::send ? send_buffer() : receive_buffer();
    operation = {.action = way == Way::send ? Action::send : Action::receive,
                 .peer = neighbour.rank,
                 .round = unpack_ == Unpack::singly ? static_cast<std::int32_t>(at.neighbour) : 0,
                 .block = in_place(neighbours, way)
                              ? place(neighbour, way)
                              : Block{staging, static_cast<std::int64_t>(cursor.detail), bytes}};
    ++at.neighbour;
    cursor = {at.position(), cursor.detail + static_cast<std::uint64_t>(bytes)};
    return true;
  }
  return false;
}

}  // namespace halcyon::schedule
