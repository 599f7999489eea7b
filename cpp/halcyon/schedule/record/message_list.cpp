#include "halcyon/schedule/record/message_list.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr std::int32_t kSend = 0, kReceive = 1;  // buffers
constexpr std::int32_t kMostRound = 1 << 29;

/// What comes next at a rank, in the lowest bits of a cursor's detail; above them lie the bytes of the
/// round's messages of one direction so far.
enum Phase : std::uint64_t { kMessage, kStart, kWait };
constexpr int kPhaseBits = 2;
constexpr std::uint64_t kPhaseMask = (1 << kPhaseBits) - 1;

void check(const Message& message, Rank n_ranks) {
  const auto [round, source, target, bytes] = message;
  const auto is_rank = [n_ranks](Rank rank) { return rank >= 0 && rank < n_ranks; };
  require<ConfigError>(is_rank(source) && is_rank(target),
                       "A message goes from rank {} to rank {}, but the ranks are 0..{}.", source, target,
                       n_ranks - 1);
  require<ConfigError>(source != target, "A message goes from rank {} to itself; leave it out.", source);
  require<ConfigError>(bytes >= 0, "The message from rank {} to rank {} has {} bytes; give 0 or more.",
                       source, target, bytes);
  require<ConfigError>(round >= 0 && round <= kMostRound,
                       "The message from rank {} to rank {} has round {}; give 0 to {}.", source, target,
                       round, kMostRound);
}

}  // namespace

MessageList::MessageList(Rank n_ranks, std::span<const Message> list) {
  require<ConfigError>(n_ranks >= 1, "Messages need at least one rank, not {}.", n_ranks);
  offsets_.assign(static_cast<std::size_t>(n_ranks) + 1, 0);
  for (const auto& message : list) {
    check(message, n_ranks);
    ++offsets_[message.source + 1];
    ++offsets_[message.target + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  ends_.resize(offsets_.back());
  auto place = offsets_;
  for (const auto& [round, source, target, bytes] : list) {
    ends_[place[source]++] = {bytes, target, 2 * round + 1};
    ends_[place[target]++] = {bytes, source, 2 * round};
  }
  for (Rank rank = 0; rank < n_ranks; ++rank) {
    std::stable_sort(ends_.begin() + offsets_[rank], ends_.begin() + offsets_[rank + 1],
                     [](const End& a, const End& b) { return a.order < b.order; });
  }
}

std::span<const MessageList::End> MessageList::ends_of(Rank rank) const {
  return std::span(ends_).subspan(offsets_[rank], offsets_[rank + 1] - offsets_[rank]);
}

std::int64_t MessageList::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t most = 0, in_round = 0;
  std::int32_t round = -1;
  for (const auto& end : ends_of(rank)) {
    if (end.round() != round) in_round = 0;
    round = end.round();
    if (end.is_receive() == (buffer == kReceive)) in_round += end.bytes;
    most = std::max(most, in_round);
  }
  return most;
}

bool MessageList::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto ends = ends_of(rank);
  if (const auto phase = cursor.detail & kPhaseMask; phase != kMessage) {
    operation = {.action = phase == kStart ? Action::start : Action::wait};
    cursor.detail = phase == kStart ? kWait : kMessage;
    return true;
  }
  if (cursor.position == ends.size()) return false;
  const auto& end = ends[cursor.position++];
  const auto offset = static_cast<std::int64_t>(cursor.detail >> kPhaseBits);
  operation = {.action = end.is_receive() ? Action::receive : Action::send,
               .peer = end.peer,
               .block = {end.is_receive() ? kReceive : kSend, offset, end.bytes}};
  const bool is_last = cursor.position == ends.size() || ends[cursor.position].round() != end.round();
  const bool turns = !is_last && ends[cursor.position].is_receive() != end.is_receive();
  const auto behind = static_cast<std::uint64_t>(offset + end.bytes) << kPhaseBits;
  cursor.detail = is_last ? kStart : turns ? kMessage : behind;
  return true;
}

}  // namespace halcyon::schedule
