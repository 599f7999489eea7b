#include "halcyon/comm/methods/fold.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace halcyon::comm {

namespace {

using schedule::Action;
using schedule::Block;
using schedule::Operation;

Piece whole(const Block& block) {
  return {block.buffer, block.offset_bytes, block.size_bytes};
}

Piece range_of(const Block& block, std::int64_t range) {
  return {block.buffer, block.offset_bytes + range * block.stride_bytes, block.size_bytes};
}

bool before(const Piece& a, const Piece& b) {
  return std::tie(a.buffer, a.offset_bytes) < std::tie(b.buffer, b.offset_bytes);
}

bool meet(const Piece& a, const Piece& b) {
  return a.buffer == b.buffer && a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

/// Pieces none of which meets another, in order; nothing where two meet.
std::optional<Pieces> disjoint(Pieces pieces) {
  std::erase_if(pieces, [](const Piece& piece) { return piece.size_bytes == 0; });
  std::ranges::sort(pieces, before);
  if (std::ranges::adjacent_find(pieces, meet) != pieces.end()) return std::nullopt;
  return pieces;
}

bool meets_any(const Piece& piece, const Pieces& sorted) {
  const auto after = std::ranges::upper_bound(sorted, piece, before);
  return (after != sorted.end() && meet(piece, *after)) ||
         (after != sorted.begin() && meet(piece, after[-1]));
}

/// One side of the round: its messages, and what the copies into or out of scratch buffers say of them.
class Side {
 public:
  Side(const std::vector<Message>& messages, const std::vector<schedule::Buffer>& buffers)
      : messages_(messages), buffers_(buffers), tiles_(messages.size()) {
    Pieces staged;
    for (const auto& message : messages) {
      if (scratch(message.block)) staged.push_back(whole(message.block));
    }
    fits_ = disjoint(std::move(staged)).has_value();
  }

  /// Takes a copy between the staged block of one message and another buffer.
  void add(const Block& staged, const Block& other) {
    const auto message =
        std::ranges::find_if(messages_, [&](const auto& m) { return holds(m.block, staged); });
    fits_ &= scratch(staged) && !scratch(other) && message != messages_.end();
    for (std::int64_t range = 0; fits_ && range < staged.count; ++range) {
      tiles_[message - messages_.begin()].push_back(
          {staged.offset_bytes + range * staged.stride_bytes, range_of(other, range)});
    }
  }

  /// The pieces of each message; nothing where copies do not cover one wholly.
  std::optional<std::vector<Pieces>> pieces() {
    std::vector<Pieces> all;
    for (std::size_t m = 0; fits_ && m < messages_.size(); ++m) {
      const auto& block = messages_[m].block;
      all.push_back(scratch(block) ? covered(block, tiles_[m]) : Pieces{whole(block)});
    }
    return fits_ ? std::optional(std::move(all)) : std::nullopt;
  }

 private:
  struct Tile {
    std::int64_t at;
    Piece piece;
  };

  static bool holds(const Block& block, const Block& staged) {
    const auto last = staged.offset_bytes + (staged.count - 1) * staged.stride_bytes;
    return block.buffer == staged.buffer && block.offset_bytes <= std::min(staged.offset_bytes, last) &&
           std::max(staged.offset_bytes, last) + staged.size_bytes <= block.offset_bytes + block.size_bytes;
  }
  bool scratch(const Block& block) const { return buffers_[block.buffer].scratch; }

  Pieces covered(const Block& block, std::vector<Tile>& tiles) {
    std::ranges::sort(tiles, {}, &Tile::at);
    Pieces pieces;
    auto at = block.offset_bytes;
    for (const auto& tile : tiles) {
      fits_ &= tile.at == at;
      at += tile.piece.size_bytes;
      pieces.push_back(tile.piece);
    }
    fits_ &= at == block.offset_bytes + block.size_bytes;
    return pieces;
  }

  const std::vector<Message>& messages_;
  const std::vector<schedule::Buffer>& buffers_;
  std::vector<std::vector<Tile>> tiles_;
  bool fits_ = true;
};

/// A program of one round that packs, starts, waits and unpacks.
bool one_exchange(const Program& program) {
  const auto& steps = program.steps;
  if (program.rounds.size() != 1) return false;
  const auto start = std::ranges::find(steps, Part::transfer, &Step::part);
  if (start == steps.end() || start + 1 == steps.end() || start[1].part != Part::wait) return false;
  const auto copies = [](const Step& step) { return step.operation.action == Action::copy; };
  return std::all_of(steps.begin(), start, copies) && std::all_of(start + 2, steps.end(), copies);
}

/// Whether messages may be written while others are still read.
bool independent(const FoldedRound& round) {
  Pieces written;
  for (const auto& pieces : round.receives) written.insert(written.end(), pieces.begin(), pieces.end());
  const auto sorted = disjoint(std::move(written));
  if (!sorted) return false;
  return std::ranges::none_of(round.sends, [&](const Pieces& pieces) {
    return std::ranges::any_of(pieces, [&](const Piece& piece) { return meets_any(piece, *sorted); });
  });
}

std::optional<FoldedRound> fold(const Program& program, const std::vector<schedule::Buffer>& buffers) {
  if (!one_exchange(program)) return std::nullopt;
  Side sends(program.rounds[0].sends, buffers), receives(program.rounds[0].receives, buffers);
  bool packs = true;
  for (const auto& [operation, part] : program.steps) {
    if (operation.action == Action::start) packs = false;
    if (operation.action != Action::copy) continue;
    if (packs) sends.add(operation.target, operation.block);
    if (!packs) receives.add(operation.block, operation.target);
  }
  auto sent = sends.pieces(), received = receives.pieces();
  if (!sent || !received) return std::nullopt;
  FoldedRound round{std::move(*sent), std::move(*received)};
  return independent(round) ? std::optional(std::move(round)) : std::nullopt;
}

std::vector<Pieces> blocks_of(const std::vector<Message>& messages) {
  std::vector<Pieces> pieces;
  for (const auto& message : messages) pieces.push_back({whole(message.block)});
  return pieces;
}

/// Whether a copy packs or unpacks a message with a partner of `near`.
bool belongs_to(const Operation& copy, const RoundMessages& round, const std::function<bool(Rank)>& near) {
  const auto any = [&](const std::vector<Message>& messages, const Block& staged) {
    return std::ranges::any_of(
        messages, [&](const Message& m) { return near(m.peer) && meet(whole(m.block), whole(staged)); });
  };
  return any(round.sends, copy.target) || any(round.receives, copy.block);
}

}  // namespace

std::vector<FoldedRound> fold_copies(Program& program, const std::vector<schedule::Buffer>& buffers,
                                     const std::function<bool(Rank)>& near) {
  auto folded = fold(program, buffers);
  if (!folded) {
    std::vector<FoldedRound> rounds;
    for (const auto& round : program.rounds) {
      rounds.push_back({blocks_of(round.sends), blocks_of(round.receives)});
    }
    return rounds;
  }
  std::erase_if(program.steps, [&](const Step& step) {
    return step.operation.action == Action::copy && belongs_to(step.operation, program.rounds[0], near);
  });
  return {std::move(*folded)};
}

}  // namespace halcyon::comm
