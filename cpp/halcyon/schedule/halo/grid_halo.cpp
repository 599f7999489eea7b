#include "halcyon/schedule/halo/grid_halo.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

/// Position of the receiver minus position of the sender, for the segment with a code (see `GridSegments`).
std::int64_t sender_offset(std::uint32_t code) {
  return code > GridSegments::kAfter ? -static_cast<std::int64_t>(code - GridSegments::kAfter) : code;
}

}  // namespace

std::int64_t GridSegments::rank_in_grid(std::int64_t rank) const {
  if (is_inside(rank)) return rank;
  const auto remainder = rank % division.parts;
  return remainder < 0 ? remainder + division.parts : remainder;
}

std::int64_t GridSegments::begin(std::int64_t rank) const {
  if (is_inside(rank)) return division.begin(rank);
  const auto part = rank_in_grid(rank);
  return (rank - part) / division.parts * division.n + division.begin(part);
}

Segment GridSegments::received(std::int64_t rank, std::uint32_t code) const {
  const auto start = begin(rank), end = begin(rank + 1), other = rank - sender_offset(code);
  if (code == 0) return {rank, width, end - start};
  if (!exists(other)) return {};
  const auto low = std::max(begin(other), start - width), high = std::min(begin(other + 1), end + width);
  return {rank_in_grid(other), low - start + width, std::max<std::int64_t>(high - low, 0)};
}

Segment GridSegments::sent(std::int64_t rank, std::uint32_t code) const {
  const auto start = begin(rank), end = begin(rank + 1), other = rank + sender_offset(code);
  if (code == 0) return {rank, width, end - start};
  if (!exists(other)) return {};
  const auto low = std::max(start, begin(other) - width), high = std::min(end, begin(other + 1) + width);
  return {rank_in_grid(other), low - start + width, std::max<std::int64_t>(high - low, 0)};
}

std::uint32_t GridSegments::next_code(std::int64_t rank, std::uint32_t code, bool sends) const {
  if (segment(rank, code + 1, sends).size > 0) return code + 1;
  return code < kAfter && segment(rank, kAfter + 1, sends).size > 0 ? kAfter + 1 : kEnd;
}

Segment GridSegments::filled(std::int64_t rank) const {
  const auto start = begin(rank), end = begin(rank + 1);
  const auto low = periodic ? start - width : std::max<std::int64_t>(start - width, 0);
  const auto high = periodic ? end + width : std::min(end + width, division.n);
  return {rank, low - start + width, high - low};
}

namespace {

enum BufferNumber : std::int32_t { kField, kSend, kReceive };
enum Phase : std::uint64_t { kPack, kCopyOwn, kReceiveMessage, kSendMessage, kStart, kWait, kUnpack, kDone };

}  // namespace

/// Content of a cursor: phase and round, codes of the segments along x and y, offset in "send" or "receive".
struct GridHalo::CursorState {
  std::uint64_t phase, round;
  std::uint32_t x_code, y_code;
  std::int64_t offset;

  explicit CursorState(const Cursor& cursor)
      : phase(cursor.position >> 60),
        round(cursor.position >> 56 & 1),
        x_code(cursor.position & 0xffff),
        y_code(cursor.position >> 16 & 0xffff),
        offset(static_cast<std::int64_t>(cursor.detail)) {}

  Cursor cursor() const {
    return {phase << 60 | round << 56 | std::uint64_t(y_code) << 16 | x_code, std::uint64_t(offset)};
  }
  void next_phase(std::int32_t n_rounds) {
    const bool has_next_round = phase == kUnpack && std::int32_t(round) + 1 < n_rounds;
    phase = has_next_round ? std::uint64_t{kPack} : phase + 1;
    round += has_next_round;
    x_code = y_code = 0;
    offset = 0;
  }
};

/// A box of columns that a rank exchanges with another rank.
struct GridHalo::ExchangedBox {
  Rank peer;
  Segment x, y;
};

GridHalo::GridHalo(const HaloGrid& grid, HaloOrder order)
    : grid_(grid),
      order_(order),
      segments_{GridSegments{{grid.nx, grid.px}, grid.width, grid.periodic[0]},
                GridSegments{{grid.ny, grid.py}, grid.width, grid.periodic[1]}} {
  require<ConfigError>(grid.width >= 1 && grid.item_bytes >= 1 && grid.px >= 1 && grid.py >= 1,
                       "A halo has {} columns of {} bytes on {} x {} ranks. Give 1 or more of each.",
                       grid.width, grid.item_bytes, grid.px, grid.py);
  require<ConfigError>(grid.nx >= grid.px && grid.ny >= grid.py,
                       "A grid of {} x {} columns is too small for {} x {} ranks. Use fewer ranks.", grid.nx,
                       grid.ny, grid.px, grid.py);
  for (const auto& segments : segments_) require_valid_width(segments);
  require_bounded_size();
}

void GridHalo::require_valid_width(const GridSegments& segments) const {
  const auto& [division, width, periodic] = segments;
  require<ConfigError>(
      width / (division.n / division.parts) < GridSegments::kAfter - 2,  // range of the codes
      "A halo of {} columns extends over more than 32,000 ranks. Make it narrower.", width);
  require<ConfigError>(width <= kMaxWraps * division.n,
                       "A halo of {} columns wraps around a grid of {} x {} columns more than {} times. Make "
                       "the halo narrower or the grid larger.",
                       width, grid_.nx, grid_.ny, kMaxWraps);
}

/// Limits the bytes and the number of messages (an upper bound) of the first rank, which has the largest box.
void GridHalo::require_bounded_size() const {
  constexpr double kMaxBytes = 0x1p62;
  const auto max_neighbours = [](const GridSegments& segments) {
    return 2.0 * static_cast<double>(segments.width / (segments.division.n / segments.division.parts) + 1);
  };
  const auto length_with_halo = [](const GridSegments& segments) {
    return static_cast<double>(segments.division.size(0) + 2 * segments.width);
  };
  const auto& [x, y] = segments_;
  const auto messages =
      order_ == HaloOrder::at_once ? (max_neighbours(x) + 1) * (max_neighbours(y) + 1) - 1 : 0;
  require<ConfigError>(messages <= kMaxAtOnce,
                       "A halo of {} columns on {} x {} ranks needs up to {} simultaneous messages per rank, "
                       "more than the maximum of {}. Make the halo narrower, or use order: sweeps.",
                       grid_.width, grid_.px, grid_.py, messages, kMaxAtOnce);
  const auto bytes = length_with_halo(x) * length_with_halo(y) * static_cast<double>(grid_.item_bytes);
  require<ConfigError>(bytes < kMaxBytes,
                       "A rank's columns with a halo of {} have {:.3g} bytes, more than the maximum of "
                       "{:.3g}. Make the halo narrower or the columns smaller.",
                       grid_.width, bytes, kMaxBytes);
}

std::int64_t GridHalo::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto here = position(rank);
  if (buffer == kField)
    return here.row_length * (division(1).size(here.y) + 2 * grid_.width) * grid_.item_bytes;
  std::int64_t max_bytes = 0;
  for (std::uint64_t round = 0; round < std::uint64_t(n_rounds()); ++round) {
    if (is_in_place(here, round)) continue;
    std::int64_t bytes = 0;
    const bool sends = buffer == kSend;
    for (CursorState state(Cursor{round << 56, 0}); advance(here, state, sends);) {
      const auto box = exchanged_box(here, state, sends);
      if (box.peer != rank) bytes += box.x.size * box.y.size * grid_.item_bytes;
    }
    max_bytes = std::max(max_bytes, bytes);
  }
  return max_bytes;
}

/// Whether boxes are sent and received in place, without packing: in the sweep along y, if whole rows of the
/// field are exchanged, since these are contiguous.
bool GridHalo::is_in_place(const GridPosition& position, std::uint64_t round) const {
  return round == 1 && segments_[0].filled(position.x).size == position.row_length;
}

/// Advances to the next box that a rank sends or receives in a round.
bool GridHalo::advance(const GridPosition& position, CursorState& state, bool sends) const {
  if (order_ == HaloOrder::at_once || state.round == 0) {
    state.x_code = segments_[0].next_code(position.x, state.x_code, sends);
    if (state.x_code != GridSegments::kEnd) return true;
    state.x_code = 0;
    if (order_ == HaloOrder::sweeps) return false;
  }
  state.y_code = segments_[1].next_code(position.y, state.y_code, sends);
  return state.y_code != GridSegments::kEnd;
}

GridHalo::ExchangedBox GridHalo::exchanged_box(const GridPosition& position, const CursorState& state,
                                               bool sends) const {
  const bool whole_rows = order_ == HaloOrder::sweeps && state.round == 1;
  const auto x =
      whole_rows ? segments_[0].filled(position.x) : segments_[0].segment(position.x, state.x_code, sends);
  const auto y = segments_[1].segment(position.y, state.y_code, sends);
  return {static_cast<Rank>(x.rank + y.rank * grid_.px), x, y};
}

Block GridHalo::block_in_field(const GridPosition& position, const ExchangedBox& box) const {
  const auto bytes = grid_.item_bytes, row_length = position.row_length;
  return {.buffer = kField,
          .offset_bytes = (box.y.begin * row_length + box.x.begin) * bytes,
          .size_bytes = box.x.size * bytes,
          .count = box.y.size,
          .stride_bytes = row_length * bytes};
}

bool GridHalo::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto here = position(rank);
  for (CursorState state(cursor); state.phase != kDone; state.next_phase(n_rounds())) {
    if (state.phase == kStart || state.phase == kWait) {
      operation = {.action = state.phase == kStart ? Action::start : Action::wait,
                   .round = static_cast<std::int32_t>(state.round)};
      state.next_phase(n_rounds());
    } else if (!next_box(here, state, operation)) {
      continue;
    }
    cursor = state.cursor();
    return true;
  }
  cursor.position = std::uint64_t{kDone} << 60;
  return false;
}

/// Generates the next copy or message of a phase.
bool GridHalo::next_box(const GridPosition& position, CursorState& state, Operation& operation) const {
  const bool sends = state.phase == kPack || state.phase == kSendMessage,
             in_place = is_in_place(position, state.round);
  const bool is_packing_copy = state.phase == kPack || state.phase == kUnpack;
  if (is_packing_copy && in_place) return false;
  while (advance(position, state, sends)) {
    const auto box = exchanged_box(position, state, sends);
    if ((box.peer == position.rank) != (state.phase == kCopyOwn)) continue;
    const auto field = block_in_field(position, box);
    if (state.phase == kCopyOwn) {
      operation = {.action = Action::copy,
                   .block = block_in_field(position, exchanged_box(position, state, /*sends=*/true)),
                   .target = field};
      return true;
    }
    const Block packed{sends ? kSend : kReceive, state.offset, field.size_bytes, field.count,
                       field.size_bytes};
    state.offset += field.total_bytes();
    if (is_packing_copy) {
      operation = sends ? Operation{.action = Action::copy, .block = field, .target = packed}
                        : Operation{.action = Action::copy, .block = packed, .target = field};
      return true;
    }
    const Block message{in_place ? kField : packed.buffer,
                        in_place ? field.offset_bytes : packed.offset_bytes, field.total_bytes()};
    operation = {.action = sends ? Action::send : Action::receive,
                 .peer = box.peer,
                 .round = static_cast<std::int32_t>(state.round),
                 .block = message};
    return true;
  }
  return false;
}

}  // namespace halcyon::schedule
