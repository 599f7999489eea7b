#include "halcyon/schedule/messages.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr std::int32_t kSend = 0, kReceive = 1;
enum Phase : std::uint64_t { kFirst, kStart, kSecond, kStartOne, kWaitOne, kWait, kCompute, kDone };

void require_matrix(const Volumes& volumes) {
  const auto& [offsets, peers, messages, bytes] = volumes;
  require<InputError>(!offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
                          offsets.back() == std::ssize(peers) && bytes.size() == peers.size(),
                      "Volumes of {} peers and {} sizes, with {} offsets, are no matrix. Give those of "
                      "halo_volumes.",
                      peers.size(), bytes.size(), offsets.size());
  for (std::size_t i = 0; i < peers.size(); ++i) {
    require<InputError>(peers[i] >= 0 && peers[i] < volumes.n_ranks() && bytes[i] >= 0,
                        "Volumes have {} bytes from rank {}, of {} ranks. Give 0 or more, of ranks that are "
                        "there.",
                        bytes[i], peers[i], volumes.n_ranks());
  }
}

/// The same matrix with a row a sender.
Volumes transposed(const Volumes& received) {
  require_matrix(received);
  Volumes sent;
  sent.offsets.assign(received.offsets.size(), 0);
  for (const auto peer : received.peers) ++sent.offsets[peer + 1];
  std::partial_sum(sent.offsets.begin(), sent.offsets.end(), sent.offsets.begin());
  auto ends = sent.offsets;
  sent.peers.resize(received.peers.size());
  sent.bytes.resize(received.peers.size());
  for (Rank rank = 0; rank < received.n_ranks(); ++rank) {
    for (auto i = received.offsets[rank]; i < received.offsets[rank + 1]; ++i) {
      const auto to = ends[received.peers[i]]++;
      sent.peers[to] = rank;
      sent.bytes[to] = received.bytes[i];
    }
  }
  return sent;
}

}  // namespace

Messages::Messages(Volumes volumes, MessageOrder order, std::vector<double> compute_s)
    : received_(std::move(volumes)),
      sent_(transposed(received_)),
      order_(order),
      compute_s_(std::move(compute_s)) {}

std::int64_t Messages::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto& side = buffer == kSend ? sent_ : received_;
  const auto* bytes = side.bytes.data();
  return std::accumulate(bytes + side.offsets[rank], bytes + side.offsets[rank + 1], std::int64_t{0});
}

/// A cursor's position is phase << 60 | number of the next message, its detail the offset of that.
bool Messages::next_message(Rank rank, bool sends, Cursor& cursor, Operation& operation) const {
  const auto& side = sends ? sent_ : received_;
  const auto first = side.offsets[rank], n = side.offsets[rank + 1] - first;
  for (auto i = std::int64_t(cursor.position & 0xffffffff); i < n; ++i) {
    const auto bytes = side.bytes[first + i];
    if (bytes == 0) continue;
    operation = {.action = sends ? Action::send : Action::receive,
                 .peer = side.peers[first + i],
                 .round = order_ != MessageOrder::at_once && !sends,
                 .block = {sends ? kSend : kReceive, std::int64_t(cursor.detail), bytes}};
    cursor.position = (cursor.position >> 60 << 60) | std::uint64_t(i + 1);
    cursor.detail += bytes;
    return true;
  }
  return false;
}

/// at_once: receives, sends, start, wait. in_order: sends, start, then receive, start and wait for each,
/// wait. Computation comes last, or, where sends are unwaited, before the wait for them.
bool Messages::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const bool in_order = order_ != MessageOrder::at_once, unwaited = order_ == MessageOrder::unwaited;
  const auto go_to = [&](std::uint64_t phase) { cursor = {phase << 60, 0}; };
  const auto turn = [&](std::uint64_t phase) {
    cursor.position = phase << 60 | (cursor.position & 0xffffffff);
  };
  for (;;) {
    switch (const auto phase = cursor.position >> 60; phase) {
      case kFirst:
        if (next_message(rank, in_order, cursor, operation)) return true;
        go_to(in_order ? kStart : kSecond);
        break;
      case kSecond:
        if (next_message(rank, !in_order, cursor, operation)) {
          if (in_order) turn(kStartOne);
          return true;
        }
        go_to(unwaited ? kCompute : in_order ? kWait : kStart);
        break;
      case kStart:
        operation = {.action = Action::start};
        go_to(in_order ? kSecond : kWait);
        return true;
      case kStartOne:
      case kWaitOne:
        operation = {.action = phase == kStartOne ? Action::start : Action::wait, .round = 1};
        turn(phase == kStartOne ? kWaitOne : kSecond);
        return true;
      case kWait:
        operation = {.action = Action::wait};
        go_to(unwaited ? kDone : kCompute);
        return true;
      case kCompute:
        go_to(unwaited ? kWait : kDone);
        if (compute_s_.empty()) break;
        operation = {.action = Action::compute, .seconds = compute_s_[rank]};
        return true;
      default:
        return false;
    }
  }
}

}  // namespace halcyon::schedule
