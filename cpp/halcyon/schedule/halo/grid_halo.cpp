#include "halcyon/schedule/halo/grid_halo.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

/// How far before its receiver the sender lies; negative after it.
std::int64_t distance(std::uint32_t code) {
  return code > GridLegs::kAfter ? -static_cast<std::int64_t>(code - GridLegs::kAfter) : code;
}

}  // namespace

std::int64_t GridLegs::within(std::int64_t rank) const {
  if (is_inside(rank)) return rank;
  const auto left = rank % division.parts;
  return left < 0 ? left + division.parts : left;
}

std::int64_t GridLegs::begin(std::int64_t rank) const {
  if (is_inside(rank)) return division.begin(rank);
  const auto part = within(rank);
  return (rank - part) / division.parts * division.n + division.begin(part);
}

Leg GridLegs::received(std::int64_t rank, std::uint32_t code) const {
  const auto first = begin(rank), last = begin(rank + 1), other = rank - distance(code);
  if (code == 0) return {rank, width, last - first};
  if (!is_there(other)) return {};
  const auto lo = std::max(begin(other), first - width), hi = std::min(begin(other + 1), last + width);
  return {within(other), lo - first + width, std::max<std::int64_t>(hi - lo, 0)};
}

Leg GridLegs::sent(std::int64_t rank, std::uint32_t code) const {
  const auto first = begin(rank), last = begin(rank + 1), other = rank + distance(code);
  if (code == 0) return {rank, width, last - first};
  if (!is_there(other)) return {};
  const auto lo = std::max(first, begin(other) - width), hi = std::min(last, begin(other + 1) + width);
  return {within(other), lo - first + width, std::max<std::int64_t>(hi - lo, 0)};
}

std::uint32_t GridLegs::after(std::int64_t rank, std::uint32_t code, bool sends) const {
  if (leg(rank, code + 1, sends).size > 0) return code + 1;
  return code < kAfter && leg(rank, kAfter + 1, sends).size > 0 ? kAfter + 1 : kEnd;
}

Leg GridLegs::filled(std::int64_t rank) const {
  const auto first = begin(rank), last = begin(rank + 1);
  const auto lo = periodic ? first - width : std::max<std::int64_t>(first - width, 0);
  const auto hi = periodic ? last + width : std::min(last + width, division.n);
  return {rank, lo - first + width, hi - lo};
}

namespace {

enum BufferNumber : std::int32_t { kField, kSend, kReceive };
enum Phase : std::uint64_t { kPack, kOwn, kAwait, kGive, kStart, kWait, kUnpack, kDone };

}  // namespace

/// What a cursor holds: the phase of a round, the codes of the legs along x and y that were taken last, and
/// the offset of what comes next in the staging buffer.
struct GridHalo::Place {
  std::uint64_t phase, round;
  std::uint32_t x, y;
  std::int64_t offset;

  explicit Place(const Cursor& cursor)
      : phase(cursor.position >> 60),
        round(cursor.position >> 56 & 1),
        x(cursor.position & 0xffff),
        y(cursor.position >> 16 & 0xffff),
        offset(static_cast<std::int64_t>(cursor.detail)) {}

  Cursor cursor() const {
    return {phase << 60 | round << 56 | std::uint64_t(y) << 16 | x, std::uint64_t(offset)};
  }
  void go_on(std::int32_t n_rounds) {
    const bool again = phase == kUnpack && std::int32_t(round) + 1 < n_rounds;
    phase = again ? std::uint64_t{kPack} : phase + 1;
    round += again;
    x = y = 0;
    offset = 0;
  }
};

/// A box of columns that a rank exchanges with another one.
struct GridHalo::Piece {
  Rank peer;
  Leg x, y;
};

GridHalo::GridHalo(const HaloGrid& grid, HaloOrder order)
    : grid_(grid),
      order_(order),
      legs_{GridLegs{{grid.nx, grid.px}, grid.width, grid.periodic[0]},
            GridLegs{{grid.ny, grid.py}, grid.width, grid.periodic[1]}} {
  require<ConfigError>(grid.width >= 1 && grid.item_bytes >= 1 && grid.px >= 1 && grid.py >= 1,
                       "A halo of {} columns of {} bytes on {} x {} ranks. Give 1 or more of each.",
                       grid.width, grid.item_bytes, grid.px, grid.py);
  require<ConfigError>(grid.nx >= grid.px && grid.ny >= grid.py,
                       "A grid of {} x {} columns is too small for {} x {} ranks. Use fewer.", grid.nx,
                       grid.ny, grid.px, grid.py);
  for (const auto& one : legs_) require_reach(one);
  require_countable();
}

void GridHalo::require_reach(const GridLegs& legs) const {
  const auto& [division, width, periodic] = legs;
  require<ConfigError>(width / (division.n / division.parts) < GridLegs::kAfter - 2,
                       "A halo of {} columns reaches across more than 32,000 ranks. Make it narrower.",
                       width);
  require<ConfigError>(width <= kMostTurns * division.n,
                       "A halo of {} columns goes around a grid of {} x {} columns more than {} times. Make "
                       "it narrower, or the grid larger.",
                       width, grid_.nx, grid_.ny, kMostTurns);
}

/// What a rank sends, and the bytes of its field with the halo, as the first one has them, no less than any.
void GridHalo::require_countable() const {
  constexpr double kMostBytes = 0x1p62;
  const auto reach = [](const GridLegs& legs) {
    return 2.0 * static_cast<double>(legs.width / (legs.division.n / legs.division.parts) + 1);
  };
  const auto size = [](const GridLegs& legs) {
    return static_cast<double>(legs.division.size(0) + 2 * legs.width);
  };
  const auto& [x, y] = legs_;
  const auto messages = order_ == HaloOrder::at_once ? (reach(x) + 1) * (reach(y) + 1) - 1 : 0;
  require<ConfigError>(messages <= kMostAtOnce,
                       "A halo of {} columns on {} x {} ranks is up to {} messages of a rank at once, {} are "
                       "the most. Make it narrower, or go in sweeps.",
                       grid_.width, grid_.px, grid_.py, messages, kMostAtOnce);
  const auto bytes = size(x) * size(y) * static_cast<double>(grid_.item_bytes);
  require<ConfigError>(bytes < kMostBytes,
                       "A rank's columns with a halo of {} have {:.3g} bytes, {:.3g} are the most. Make the "
                       "halo narrower, or columns smaller.",
                       grid_.width, bytes, kMostBytes);
}

std::int64_t GridHalo::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto at_rank = spot(rank);
  if (buffer == kField)
    return at_rank.row * (division(1).size(at_rank.line) + 2 * grid_.width) * grid_.item_bytes;
  std::int64_t most = 0;
  for (std::uint64_t round = 0; round < std::uint64_t(n_rounds()); ++round) {
    if (in_place(at_rank, round)) continue;
    std::int64_t bytes = 0;
    const bool sends = buffer == kSend;
    for (Place at(Cursor{round << 56, 0}); advance(at_rank, at, sends);) {
      const auto box = piece(at_rank, at, sends);
      if (box.peer != rank) bytes += box.x.size * box.y.size * grid_.item_bytes;
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// Rows that lie together go and come as they are: those of the sweep along y, where all columns are filled.
bool GridHalo::in_place(const Spot& spot, std::uint64_t round) const {
  return round == 1 && legs_[0].filled(spot.column).size == spot.row;
}

/// Goes on to the next piece that a rank sends or receives in a round.
bool GridHalo::advance(const Spot& spot, Place& at, bool sends) const {
  if (order_ == HaloOrder::at_once || at.round == 0) {
    at.x = legs_[0].after(spot.column, at.x, sends);
    if (at.x != GridLegs::kEnd) return true;
    at.x = 0;
    if (order_ == HaloOrder::sweeps) return false;
  }
  at.y = legs_[1].after(spot.line, at.y, sends);
  return at.y != GridLegs::kEnd;
}

GridHalo::Piece GridHalo::piece(const Spot& spot, const Place& at, bool sends) const {
  const bool whole_rows = order_ == HaloOrder::sweeps && at.round == 1;
  const auto x = whole_rows ? legs_[0].filled(spot.column) : legs_[0].leg(spot.column, at.x, sends);
  const auto y = legs_[1].leg(spot.line, at.y, sends);
  return {static_cast<Rank>(x.rank + y.rank * grid_.px), x, y};
}

Block GridHalo::in_field(const Spot& spot, const Piece& box) const {
  const auto bytes = grid_.item_bytes, columns = spot.row;
  return {kField, (box.y.begin * columns + box.x.begin) * bytes, box.x.size * bytes, box.y.size,
          columns * bytes};
}

bool GridHalo::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto at_rank = spot(rank);
  for (Place at(cursor); at.phase != kDone; at.go_on(n_rounds())) {
    if (at.phase == kStart || at.phase == kWait) {
      operation = {.action = at.phase == kStart ? Action::start : Action::wait,
                   .round = static_cast<std::int32_t>(at.round)};
      at.go_on(n_rounds());
    } else if (!next_piece(at_rank, at, operation)) {
      continue;
    }
    cursor = at.cursor();
    return true;
  }
  cursor.position = std::uint64_t{kDone} << 60;
  return false;
}

/// The next copy or message of a phase.
bool GridHalo::next_piece(const Spot& spot, Place& at, Operation& operation) const {
  const bool sends = at.phase == kPack || at.phase == kGive, direct = in_place(spot, at.round);
  const bool stages = at.phase == kPack || at.phase == kUnpack;
  if (stages && direct) return false;
  while (advance(spot, at, sends)) {
    const auto box = piece(spot, at, sends);
    if ((box.peer == spot.rank) != (at.phase == kOwn)) continue;
    const auto field = in_field(spot, box);
    if (at.phase == kOwn) {
      operation = {.action = Action::copy, .block = in_field(spot, piece(spot, at, true)), .target = field};
      return true;
    }
    const Block staged{sends ? kSend : kReceive, at.offset, field.size_bytes, field.count, field.size_bytes};
    at.offset += field.total_bytes();
    if (stages) {
      operation = sends ? Operation{.action = Action::copy, .block = field, .target = staged}
                        : Operation{.action = Action::copy, .block = staged, .target = field};
      return true;
    }
    const Block message{direct ? kField : staged.buffer, direct ? field.offset_bytes : staged.offset_bytes,
                        field.total_bytes()};
    operation = {.action = sends ? Action::send : Action::receive,
                 .peer = box.peer,
                 .round = static_cast<std::int32_t>(at.round),
                 .block = message};
    return true;
  }
  return false;
}

}  // namespace halcyon::schedule
