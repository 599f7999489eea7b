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

/// The first of the `count` ranges of a block. The block of a message has no others.
BufferRange first_range(const Block& block) {
  return {block.buffer, block.offset_bytes, block.size_bytes};
}

bool overlap(const BufferRange& a, const BufferRange& b) {
  return a.buffer == b.buffer && a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

/// Returns the phase in which an operation is timed. A copy is timed as unpacking if it reads data that one
/// of the `rounds` started so far has received, otherwise as packing.
Phase phase_of(const Operation& operation, const std::vector<RoundMessages>& rounds) {
  switch (operation.action) {
    case Action::start:
      return Phase::start;
    case Action::wait:
      return Phase::wait;
    case Action::combine:
      return Phase::unpack;
    case Action::copy:
      break;
    default:
      return Phase::work;
  }
  for (const auto& round : rounds) {
    const auto is_read = [&](const Message& message) {
      return overlap(first_range(operation.block), first_range(message.block));
    };
    if (std::ranges::any_of(round.receives, is_read)) return Phase::unpack;
  }
  return Phase::pack;
}

}  // namespace

Program::Program(const std::vector<Operation>& operations) {
  std::map<std::int32_t, RoundMessages> pending;  // by number of the round in the schedule
  std::map<std::int32_t, std::int32_t> round_index;
  for (auto operation : operations) {
    switch (operation.action) {
      case Action::send:
        pending[operation.round].sends.push_back({operation.peer, operation.block});
        continue;
      case Action::receive:
        pending[operation.round].receives.push_back({operation.peer, operation.block});
        continue;
      case Action::start:
        round_index[operation.round] = static_cast<std::int32_t>(rounds.size());
        rounds.push_back(std::move(pending[operation.round]));
        rounds.back().number = operation.round;
        pending.erase(operation.round);
        break;
      default:
        break;
    }
    if (operation.action == Action::start || operation.action == Action::wait)
      operation.round = round_index[operation.round];
    steps.push_back({operation, phase_of(operation, rounds)});
  }
}

std::vector<std::int64_t> Program::wait_order() const {
  std::vector<std::int64_t> order;
  for (const auto& step : steps)
    if (step.operation.action == Action::wait) order.push_back(step.operation.round);
  return order;
}

namespace {

/// Returns one list per peer, with two numbers per message, in the order in which MPI matches the messages.
/// @param direction sends or receives
/// @param describe describe(index of the round, round, message) returns the two numbers
template <class Describe>
ListsByRank numbers_by_peer(const std::vector<RoundMessages>& rounds,
                            std::vector<Message> RoundMessages::* direction, const Describe& describe) {
  ListsByRank lists;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (const auto& message : rounds[i].*direction) {
      const auto [first, second] = describe(i, rounds[i], message);
      lists[message.peer].insert(lists[message.peer].end(), {first, second});
    }
  }
  return lists;
}

using NumberPair = std::pair<std::int64_t, std::int64_t>;

/// Checks that `receiver` expects the messages of `sender`.
/// @param sent, expected round and size [bytes] of each message, alternately
void check_pair(Rank sender, Rank receiver, const std::vector<std::int64_t>& sent,
                const std::vector<std::int64_t>& expected) {
  for (std::size_t i = 0; i < std::max(sent.size(), expected.size()); i += 2) {
    if (i >= expected.size())
      throw InternalError(fmt::format(
          "Rank {0} sends {1} bytes in round {3} to rank {2}, which has no more receives from rank {0}.",
          sender, sent[i + 1], receiver, sent[i]));
    if (i >= sent.size())
      throw InternalError(fmt::format(
          "Rank {0} receives {1} bytes in round {3} from rank {2}, which has no more sends to rank {0}.",
          receiver, expected[i + 1], sender, expected[i]));
    require<InternalError>(
        sent[i + 1] == expected[i + 1],
        "Rank {0} sends {1} bytes in round {3} to rank {2}, which receives {4} bytes in round {5}.", sender,
        sent[i + 1], receiver, sent[i], expected[i + 1], expected[i]);
  }
}

}  // namespace

void check_message_matching(const Communicator& comm, const schedule::Schedule& schedule) {
  std::vector<RoundMessages> rounds;
  comm.agree([&] {
    schedule::check(schedule, comm.rank());
    rounds = Program(schedule::operations(schedule, comm.rank())).rounds;
  });
  const auto round_and_size = [](std::size_t, const RoundMessages& round, const Message& message) {
    return NumberPair{round.number, message.block.size_bytes};
  };
  auto sent = sparse_exchange(comm, numbers_by_peer(rounds, &RoundMessages::sends, round_and_size));
  auto expected = numbers_by_peer(rounds, &RoundMessages::receives, round_and_size);
  comm.agree([&] {
    std::set<Rank> senders;
    for (const auto* lists : {&sent, &expected})
      for (const auto& [rank, list] : *lists) senders.insert(rank);
    for (const auto sender : senders) check_pair(sender, comm.rank(), sent[sender], expected[sender]);
  });
}

bool rounds_match(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  // Only the rounds are compared; check_message_matching compares the sizes, too.
  const auto index_and_zero = [](std::size_t index, const RoundMessages&, const Message&) {
    return NumberPair{static_cast<std::int64_t>(index), 0};
  };
  return sparse_exchange(comm, numbers_by_peer(rounds, &RoundMessages::sends, index_and_zero)) ==
         numbers_by_peer(rounds, &RoundMessages::receives, index_and_zero);
}

namespace {

BufferRange nth_range(const Block& block, std::int64_t n) {
  return {block.buffer, block.offset_bytes + n * block.stride_bytes, block.size_bytes};
}

bool is_before(const BufferRange& a, const BufferRange& b) {
  return std::tie(a.buffer, a.offset_bytes) < std::tie(b.buffer, b.offset_bytes);
}

/// The non-empty ranges, sorted; no value if two of them overlap.
std::optional<BufferRanges> sorted_if_disjoint(BufferRanges ranges) {
  std::erase_if(ranges, [](const BufferRange& range) { return range.size_bytes == 0; });
  std::ranges::sort(ranges, is_before);
  if (std::ranges::adjacent_find(ranges, overlap) != ranges.end()) return std::nullopt;
  return ranges;
}

bool overlaps_any(const BufferRange& range, const BufferRanges& sorted) {
  const auto next = std::ranges::upper_bound(sorted, range, is_before);
  return (next != sorted.end() && overlap(range, *next)) ||
         (next != sorted.begin() && overlap(range, next[-1]));
}

/// The sends (or the receives) of a round. For each message in a scratch buffer, collects the ranges of
/// fields that are copied into (or out of) the message. A field is any buffer that is not scratch. If these
/// copies cover each message exactly, the scratch buffers can be left out: fields are sent (or received)
/// directly.
class PackedMessages {
 public:
  PackedMessages(const std::vector<Message>& messages, const std::vector<schedule::Buffer>& buffers)
      : messages_(messages), buffers_(buffers), packed_ranges_(messages.size()) {
    BufferRanges packed;
    for (const auto& message : messages)
      if (is_scratch(message.block)) packed.push_back(first_range(message.block));
    can_omit_scratch_ = sorted_if_disjoint(std::move(packed)).has_value();
  }

  /// Adds a copy between `packed`, a part of a message in a scratch buffer, and `field`, a block of a field.
  void add(const Block& packed, const Block& field) {
    const auto message =
        std::ranges::find_if(messages_, [&](const auto& each) { return contains(each.block, packed); });
    can_omit_scratch_ &= is_scratch(packed) && !is_scratch(field) && message != messages_.end();
    for (std::int64_t i = 0; can_omit_scratch_ && i < packed.count; ++i)
      packed_ranges_[message - messages_.begin()].push_back(
          {packed.offset_bytes + i * packed.stride_bytes, nth_range(field, i)});
  }

  /// The ranges of each message; no value if the copies do not cover a message exactly.
  std::optional<std::vector<BufferRanges>> ranges() {
    std::vector<BufferRanges> all;
    for (std::size_t m = 0; can_omit_scratch_ && m < messages_.size(); ++m) {
      const auto& block = messages_[m].block;
      all.push_back(is_scratch(block) ? field_ranges_of(block, packed_ranges_[m])
                                      : BufferRanges{first_range(block)});
    }
    return can_omit_scratch_ ? std::optional(std::move(all)) : std::nullopt;
  }

 private:
  struct PackedRange {
    std::int64_t offset_bytes;  ///< in the scratch buffer
    BufferRange range;          ///< in a field
  };

  static bool contains(const Block& block, const Block& packed) {
    const auto last_offset = packed.offset_bytes + (packed.count - 1) * packed.stride_bytes;
    return block.buffer == packed.buffer &&
           block.offset_bytes <= std::min(packed.offset_bytes, last_offset) &&
           std::max(packed.offset_bytes, last_offset) + packed.size_bytes <=
               block.offset_bytes + block.size_bytes;
  }
  bool is_scratch(const Block& block) const { return buffers_[block.buffer].scratch; }

  /// The field ranges of a message. Clears `can_omit_scratch_` if they do not fill the message without
  /// overlaps.
  BufferRanges field_ranges_of(const Block& block, std::vector<PackedRange>& packed) {
    std::ranges::sort(packed, {}, &PackedRange::offset_bytes);
    BufferRanges ranges;
    auto end_bytes = block.offset_bytes;
    for (const auto& [offset_bytes, range] : packed) {
      can_omit_scratch_ &= offset_bytes == end_bytes;
      end_bytes += range.size_bytes;
      ranges.push_back(range);
    }
    can_omit_scratch_ &= end_bytes == block.offset_bytes + block.size_bytes;
    return ranges;
  }

  const std::vector<Message>& messages_;
  const std::vector<schedule::Buffer>& buffers_;
  std::vector<std::vector<PackedRange>> packed_ranges_;
  bool can_omit_scratch_ = true;
};

/// Whether a program has one round, and only packs, starts, waits and unpacks.
bool is_single_exchange(const Program& program) {
  const auto& steps = program.steps;
  if (program.rounds.size() != 1) return false;
  const auto start = std::ranges::find(steps, Phase::start, &ProgramStep::phase);
  if (start == steps.end() || start + 1 == steps.end() || start[1].phase != Phase::wait) return false;
  const auto is_copy = [](const ProgramStep& step) { return step.operation.action == Action::copy; };
  return std::all_of(steps.begin(), start, is_copy) && std::all_of(start + 2, steps.end(), is_copy);
}

/// Whether the receives may write to the fields while the sends still read them.
bool can_receive_while_sending(const RoundRanges& round) {
  BufferRanges written;
  for (const auto& ranges : round.receives) written.insert(written.end(), ranges.begin(), ranges.end());
  const auto sorted = sorted_if_disjoint(std::move(written));
  if (!sorted) return false;
  return std::ranges::none_of(round.sends, [&](const BufferRanges& ranges) {
    return std::ranges::any_of(ranges,
                               [&](const BufferRange& range) { return overlaps_any(range, *sorted); });
  });
}

/// The ranges of the messages in the fields; no value if the program needs its scratch buffers.
std::optional<RoundRanges> field_ranges(const Program& program,
                                        const std::vector<schedule::Buffer>& buffers) {
  if (!is_single_exchange(program)) return std::nullopt;
  PackedMessages sends(program.rounds[0].sends, buffers), receives(program.rounds[0].receives, buffers);
  bool is_packing = true;
  for (const auto& [operation, phase] : program.steps) {
    if (operation.action == Action::start) is_packing = false;
    if (operation.action != Action::copy) continue;
    if (is_packing) sends.add(operation.target, operation.block);
    if (!is_packing) receives.add(operation.block, operation.target);
  }
  auto sent = sends.ranges(), received = receives.ranges();
  if (!sent || !received) return std::nullopt;
  RoundRanges round{std::move(*sent), std::move(*received)};
  return can_receive_while_sending(round) ? std::optional(std::move(round)) : std::nullopt;
}

std::vector<BufferRanges> blocks_of(const std::vector<Message>& messages) {
  std::vector<BufferRanges> ranges;
  for (const auto& message : messages) ranges.push_back({first_range(message.block)});
  return ranges;
}

/// Whether a copy packs or unpacks a message with a peer on this node.
bool is_copy_of_node_message(const Operation& copy, const RoundMessages& round,
                             const std::function<bool(Rank)>& is_on_node) {
  const auto overlaps_message = [&](const std::vector<Message>& messages, const Block& packed) {
    return std::ranges::any_of(messages, [&](const Message& message) {
      return is_on_node(message.peer) && overlap(first_range(message.block), first_range(packed));
    });
  };
  return overlaps_message(round.sends, copy.target) || overlaps_message(round.receives, copy.block);
}

}  // namespace

std::vector<RoundRanges> omit_copies_within_node(Program& program,
                                                 const std::vector<schedule::Buffer>& buffers,
                                                 const std::function<bool(Rank)>& is_on_node) {
  auto ranges = field_ranges(program, buffers);
  if (!ranges) {
    std::vector<RoundRanges> rounds;
    for (const auto& round : program.rounds)
      rounds.push_back({blocks_of(round.sends), blocks_of(round.receives)});
    return rounds;
  }
  std::erase_if(program.steps, [&](const ProgramStep& step) {
    return step.operation.action == Action::copy &&
           is_copy_of_node_message(step.operation, program.rounds[0], is_on_node);
  });
  return {std::move(*ranges)};
}

}  // namespace halcyon::comm
