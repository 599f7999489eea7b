#include "halcyon/comm/exchange/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

namespace {

using schedule::Action;
using schedule::Block;
using schedule::Operation;

Piece whole(const Block& block) {
  return {block.buffer, block.offset_bytes, block.size_bytes};
}

bool meet(const Piece& a, const Piece& b) {
  return a.buffer == b.buffer && a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

/// A copy unpacks where it reads what one of the rounds so far has received.
Part part_of(const Operation& operation, const std::vector<RoundMessages>& rounds) {
  switch (operation.action) {
    case Action::start:
      return Part::transfer;
    case Action::wait:
      return Part::wait;
    case Action::combine:
      return Part::unpack;
    case Action::copy:
      break;
    default:
      return Part::work;
  }
  for (const auto& round : rounds) {
    const auto reads = [&](const Message& m) { return meet(whole(operation.block), whole(m.block)); };
    if (std::ranges::any_of(round.receives, reads)) return Part::unpack;
  }
  return Part::pack;
}

}  // namespace

Program::Program(const std::vector<Operation>& operations) {
  std::map<std::int32_t, RoundMessages> added;
  std::map<std::int32_t, std::int32_t> number;
  for (auto operation : operations) {
    switch (operation.action) {
      case Action::send:
        added[operation.round].sends.push_back({operation.peer, operation.block});
        continue;
      case Action::receive:
        added[operation.round].receives.push_back({operation.peer, operation.block});
        continue;
      case Action::start:
        number[operation.round] = static_cast<std::int32_t>(rounds.size());
        rounds.push_back(std::move(added[operation.round]));
        rounds.back().number = operation.round;
        added.erase(operation.round);
        break;
      default:
        break;
    }
    if (operation.action == Action::start || operation.action == Action::wait) {
      operation.round = number[operation.round];
    }
    steps.push_back({operation, part_of(operation, rounds)});
  }
}

std::vector<std::int64_t> Program::wait_order() const {
  std::vector<std::int64_t> order;
  for (const auto& step : steps)
    if (step.operation.action == Action::wait) order.push_back(step.operation.round);
  return order;
}

namespace {

/// By partner, in the order in which messages match: two numbers each, which `describe` makes of a round's
/// index, itself and the message's size.
template <class Describe>
ListsByRank listed(const std::vector<RoundMessages>& rounds, std::vector<Message> RoundMessages::* way,
                   const Describe& describe) {
  ListsByRank lists;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (const auto& message : rounds[i].*way) {
      const auto [first, second] = describe(i, rounds[i], message);
      lists[message.peer].insert(lists[message.peer].end(), {first, second});
    }
  }
  return lists;
}

using Two = std::pair<std::int64_t, std::int64_t>;

/// Compares the lists of round and size of one sender and this receiver.
void check_pair(Rank sender, Rank receiver, const std::vector<std::int64_t>& sent,
                const std::vector<std::int64_t>& awaited) {
  for (std::size_t i = 0; i < std::max(sent.size(), awaited.size()); i += 2) {
    if (i >= awaited.size())
      throw InternalError(
          fmt::format("Rank {} sends {} bytes to rank {} in round {}, which awaits no more from it.", sender,
                      sent[i + 1], receiver, sent[i]));
    if (i >= sent.size())
      throw InternalError(
          fmt::format("Rank {} awaits {} bytes from rank {} in round {}, which sends no more to it.",
                      receiver, awaited[i + 1], sender, awaited[i]));
    require<InternalError>(
        sent[i + 1] == awaited[i + 1],
        "Rank {} sends {} bytes to rank {} in round {}, which awaits {} bytes in round {}.", sender,
        sent[i + 1], receiver, sent[i], awaited[i + 1], awaited[i]);
  }
}

}  // namespace

void check_pairs(const Communicator& comm, const schedule::Schedule& schedule) {
  std::vector<RoundMessages> rounds;
  comm.agree([&] {
    schedule::check(schedule, comm.rank());
    rounds = Program(schedule::operations(schedule, comm.rank())).rounds;
  });
  const auto round_and_size = [](std::size_t, const RoundMessages& round, const Message& message) {
    return Two{round.number, message.block.size_bytes};
  };
  auto sent = sparse_exchange(comm, listed(rounds, &RoundMessages::sends, round_and_size));
  auto awaited = listed(rounds, &RoundMessages::receives, round_and_size);
  comm.agree([&] {
    std::set<Rank> senders;
    for (const auto* lists : {&sent, &awaited}) {
      for (const auto& [rank, list] : *lists) senders.insert(rank);
    }
    for (const auto sender : senders) check_pair(sender, comm.rank(), sent[sender], awaited[sender]);
  });
}

bool both_ends_in_one_round(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto index = [](std::size_t i, const RoundMessages&, const Message&) {
    return Two{static_cast<std::int64_t>(i), 0};
  };
  return sparse_exchange(comm, listed(rounds, &RoundMessages::sends, index)) ==
         listed(rounds, &RoundMessages::receives, index);
}

namespace {

Piece range_of(const Block& block, std::int64_t range) {
  return {block.buffer, block.offset_bytes + range * block.stride_bytes, block.size_bytes};
}

bool before(const Piece& a, const Piece& b) {
  return std::tie(a.buffer, a.offset_bytes) < std::tie(b.buffer, b.offset_bytes);
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
