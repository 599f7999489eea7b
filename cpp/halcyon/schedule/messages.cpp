#include "halcyon/schedule/messages.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::int32_t kSend = 0, kReceive = 1;  // indices of the buffers
/// Phases of a rank's operations. kFirst adds the receives (at_once) or the sends (in_order, unwaited) to
/// their round, kSecond adds the messages in the opposite direction.
enum Phase : std::uint64_t { kFirst, kStart, kSecond, kStartReceive, kWaitReceive, kWait, kCompute, kDone };

void require_valid(const Volumes& volumes) {
  const auto& [offsets, peers, messages, bytes] = volumes;
  require<InputError>(!offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
                          offsets.back() == std::ssize(peers) && bytes.size() == peers.size(),
                      "Invalid volumes: {} peers, {} sizes and {} offsets. Use the volumes of halo_volumes.",
                      peers.size(), bytes.size(), offsets.size());
  for (std::size_t i = 0; i < peers.size(); ++i)
    require<InputError>(peers[i] >= 0 && peers[i] < volumes.n_ranks() && bytes[i] >= 0,
                        "Invalid volumes: {} bytes from rank {} in a run of {} ranks. Give sizes of 0 or "
                        "more and valid ranks.",
                        bytes[i], peers[i], volumes.n_ranks());
}

Volumes volumes_by_sender(const Volumes& received) {
  require_valid(received);
  Volumes sent;
  sent.offsets.assign(received.offsets.size(), 0);
  for (const auto peer : received.peers) ++sent.offsets[peer + 1];
  std::partial_sum(sent.offsets.begin(), sent.offsets.end(), sent.offsets.begin());
  auto next_index = sent.offsets;
  sent.peers.resize(received.peers.size());
  sent.bytes.resize(received.peers.size());
  for (Rank rank = 0; rank < received.n_ranks(); ++rank) {
    for (auto i = received.offsets[rank]; i < received.offsets[rank + 1]; ++i) {
      const auto index = next_index[received.peers[i]]++;
      sent.peers[index] = rank;
      sent.bytes[index] = received.bytes[i];
    }
  }
  return sent;
}

}  // namespace

VolumeExchange::VolumeExchange(Volumes volumes, MessageOrder order, std::vector<double> compute_s)
    : received_(std::move(volumes)),
      sent_(volumes_by_sender(received_)),
      order_(order),
      compute_s_(std::move(compute_s)) {}

std::int64_t VolumeExchange::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto& volumes = buffer == kSend ? sent_ : received_;
  const auto* bytes = volumes.bytes.data();
  return std::accumulate(bytes + volumes.offsets[rank], bytes + volumes.offsets[rank + 1], std::int64_t{0});
}

/// The position of a cursor is phase << 60 | index of the next message; the detail is the message's offset.
bool VolumeExchange::next_message(Rank rank, bool sends, Cursor& cursor, Operation& operation) const {
  const auto& volumes = sends ? sent_ : received_;
  const auto begin = volumes.offsets[rank], n_messages = volumes.offsets[rank + 1] - begin;
  for (auto i = std::int64_t(cursor.position & 0xffffffff); i < n_messages; ++i) {
    const auto bytes = volumes.bytes[begin + i];
    if (bytes == 0) continue;
    operation = {.action = sends ? Action::send : Action::receive,
                 .peer = volumes.peers[begin + i],
                 .round = order_ != MessageOrder::at_once && !sends,
                 .block = {sends ? kSend : kReceive, std::int64_t(cursor.detail), bytes}};
    cursor.position = (cursor.position >> 60 << 60) | std::uint64_t(i + 1);
    cursor.detail += bytes;
    return true;
  }
  return false;
}

/// at_once: add receives, add sends, start, wait, compute. in_order: add sends, start; add, start and await
/// each receive; wait for the sends; compute. unwaited: as in_order, but compute before the wait for the
/// sends. With in_order and unwaited, the sends are in flight in round 0, and each receive in turn uses
/// round 1.
bool VolumeExchange::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const bool sends_first = order_ != MessageOrder::at_once, unwaited = order_ == MessageOrder::unwaited;
  const auto begin_phase = [&](std::uint64_t phase) { cursor = {phase << 60, 0}; };
  const auto enter_phase_at_same_message = [&](std::uint64_t phase) {
    cursor.position = phase << 60 | (cursor.position & 0xffffffff);
  };
  for (;;) {
    switch (const auto phase = cursor.position >> 60; phase) {
      case kFirst:
        if (next_message(rank, sends_first, cursor, operation)) return true;
        begin_phase(sends_first ? kStart : kSecond);
        break;
      case kSecond:
        if (next_message(rank, !sends_first, cursor, operation)) {
          if (sends_first) enter_phase_at_same_message(kStartReceive);
          return true;
        }
        begin_phase(unwaited ? kCompute : sends_first ? kWait : kStart);
        break;
      case kStart:
        operation = {.action = Action::start};
        begin_phase(sends_first ? kSecond : kWait);
        return true;
      case kStartReceive:
      case kWaitReceive:
        operation = {.action = phase == kStartReceive ? Action::start : Action::wait, .round = 1};
        enter_phase_at_same_message(phase == kStartReceive ? kWaitReceive : kSecond);
        return true;
      case kWait:
        operation = {.action = Action::wait};
        begin_phase(unwaited ? kDone : kCompute);
        return true;
      case kCompute:
        begin_phase(unwaited ? kWait : kDone);
        if (compute_s_.empty()) break;
        operation = {.action = Action::compute, .seconds = compute_s_[rank]};
        return true;
      default:
        return false;
    }
  }
}

namespace {

constexpr std::int32_t kMaxRound = 1 << 29;

/// Phase of a round in a MessageList, in the lowest bits of a cursor's detail. The bits above are the offset
/// of the next message: the bytes of the round's previous messages in the same direction.
enum ListPhase : std::uint64_t { kMessage, kStartRound, kWaitRound };
constexpr int kPhaseBits = 2;
constexpr std::uint64_t kPhaseMask = (1 << kPhaseBits) - 1;

void check(const Message& message, Rank n_ranks) {
  const auto [round, source, target, bytes] = message;
  const auto is_rank = [n_ranks](Rank rank) { return rank >= 0 && rank < n_ranks; };
  require<ConfigError>(is_rank(source) && is_rank(target),
                       "A message is sent from rank {} to rank {}, but the ranks are 0 to {}.", source,
                       target, n_ranks - 1);
  require<ConfigError>(source != target, "A message is sent from rank {} to itself. Remove it.", source);
  require<ConfigError>(bytes >= 0, "The message from rank {} to rank {} has {} bytes. Give 0 or more.",
                       source, target, bytes);
  require<ConfigError>(round >= 0 && round <= kMaxRound,
                       "The message from rank {} to rank {} has round {}. Give 0 to {}.", source, target,
                       round, kMaxRound);
}

}  // namespace

MessageList::MessageList(Rank n_ranks, std::span<const Message> list) {
  require<ConfigError>(n_ranks >= 1, "The number of ranks is {}. Give 1 or more.", n_ranks);
  offsets_.assign(static_cast<std::size_t>(n_ranks) + 1, 0);
  for (const auto& message : list) {
    check(message, n_ranks);
    ++offsets_[message.source + 1];
    ++offsets_[message.target + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  transfers_.resize(offsets_.back());
  auto next_index = offsets_;
  for (const auto& [round, source, target, bytes] : list) {
    transfers_[next_index[source]++] = {bytes, target, 2 * round + 1};
    transfers_[next_index[target]++] = {bytes, source, 2 * round};
  }
  for (Rank rank = 0; rank < n_ranks; ++rank)
    std::stable_sort(transfers_.begin() + offsets_[rank], transfers_.begin() + offsets_[rank + 1],
                     [](const Transfer& a, const Transfer& b) { return a.sort_key < b.sort_key; });
}

std::span<const MessageList::Transfer> MessageList::transfers_of(Rank rank) const {
  return std::span(transfers_).subspan(offsets_[rank], offsets_[rank + 1] - offsets_[rank]);
}

std::int64_t MessageList::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t max_bytes = 0, round_bytes = 0;
  std::int32_t round = -1;
  for (const auto& transfer : transfers_of(rank)) {
    if (transfer.round() != round) round_bytes = 0;
    round = transfer.round();
    if (transfer.is_receive() == (buffer == kReceive)) round_bytes += transfer.bytes;
    max_bytes = std::max(max_bytes, round_bytes);
  }
  return max_bytes;
}

/// All rounds of the list are executed as round 0 of the operations, one after the other.
bool MessageList::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto transfers = transfers_of(rank);
  if (const auto phase = cursor.detail & kPhaseMask; phase != kMessage) {
    operation = {.action = phase == kStartRound ? Action::start : Action::wait};
    cursor.detail = phase == kStartRound ? kWaitRound : kMessage;
    return true;
  }
  if (cursor.position == transfers.size()) return false;
  const auto& transfer = transfers[cursor.position++];
  const auto offset = static_cast<std::int64_t>(cursor.detail >> kPhaseBits);
  operation = {.action = transfer.is_receive() ? Action::receive : Action::send,
               .peer = transfer.peer,
               .block = {transfer.is_receive() ? kReceive : kSend, offset, transfer.bytes}};
  const auto* next = cursor.position < transfers.size() ? &transfers[cursor.position] : nullptr;
  const bool is_last = !next || next->round() != transfer.round();
  const bool switches_direction = !is_last && next->is_receive() != transfer.is_receive();
  const auto next_offset = static_cast<std::uint64_t>(offset + transfer.bytes) << kPhaseBits;
  cursor.detail = is_last ? kStartRound : switches_direction ? kMessage : next_offset;
  return true;
}

}  // namespace halcyon::schedule
