#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "halcyon/base/index.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/free_list.hpp"
#include "halcyon/network/engine/packet.hpp"

namespace halcyon::network {

/// Up to 64 posted receives of one message size, from sources first, first + stride, ...
struct ReceiveRun {
  std::int64_t bytes = 0;
  std::uint64_t pending = 0;  ///< bit i: the message from first + i stride has not arrived
  Rank first = kNone;
  std::int32_t stride = 1;
  std::uint32_t next = kNoRecord;
  std::int32_t count = 0;

  /// Appends a receive if it continues the run.
  bool append(Rank source, std::int64_t size) {
    if (count == 0) {
      *this = {.bytes = size, .first = source, .next = next};
    } else {
      if (size != bytes || count == 64) return false;
      if (count == 1) stride = source - first;
      if (stride == 0 || source != first + count * stride) return false;
    }
    pending |= std::uint64_t{1} << count++;
    return true;
  }

  /// Returns the bit of a pending receive that matches the message; 0 if there is none.
  std::uint64_t pending_bit(Rank source, std::int64_t size) const {
    if (size != bytes || pending == 0) return 0;
    const auto offset = source - first;
    if (offset == 0) return pending & 1;
    const auto i = offset / stride;
    return i > 0 && i < count && i * stride == offset ? pending & (std::uint64_t{1} << i) : 0;
  }
};

/// The posted receives of a round, compressed into runs: half a byte per receive of an all-to-all.
class PostedReceives {
 public:
  void add(FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) {
    if (last(runs).append(source, bytes)) return;
    const auto fresh = runs.allocate();
    runs[fresh].append(source, bytes);
    last(runs).next = fresh;
    last_ = fresh;
  }

  /// Whether a pending receive matches the message.
  bool has_pending(const FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) const {
    const auto matches = [&](const ReceiveRun& run) { return run.pending_bit(source, bytes) != 0; };
    if (matches(first_)) return true;
    for (auto at = first_.next; at != kNoRecord; at = runs[at].next) {
      if (matches(runs[at])) return true;
    }
    return false;
  }

  /// Completes the pending receive that matches the message. Returns false if there is none.
  bool match(FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) {
    for (auto* run = &first_;; run = &runs[run->next]) {
      if (const auto bit = run->pending_bit(source, bytes)) {
        run->pending &= ~bit;
        return true;
      }
      if (run->next == kNoRecord) return false;
    }
  }

  void clear(FreeList<ReceiveRun>& runs) {
    for (auto at = first_.next; at != kNoRecord;) {
      const auto next = runs[at].next;
      runs.release(at);
      at = next;
    }
    first_ = {};
    last_ = kNoRecord;
  }

  template <class Visitor>
  void for_each_pending(const FreeList<ReceiveRun>& runs, Visitor visit) const {
    for (const auto* run = &first_;; run = &runs[run->next]) {
      for (auto pending = run->pending; pending != 0; pending &= pending - 1) {
        visit(run->first + std::countr_zero(pending) * run->stride, run->bytes);
      }
      if (run->next == kNoRecord) return;
    }
  }

 private:
  ReceiveRun& last(FreeList<ReceiveRun>& runs) { return last_ == kNoRecord ? first_ : runs[last_]; }

  ReceiveRun first_;
  std::uint32_t last_ = kNoRecord;
};

/// A message, or a request to send, that arrived before its receive was posted.
struct UnexpectedMessage {
  std::int64_t bytes = 0;
  Time arrived = 0;
  Rank source = kNone;
  PacketKind kind = PacketKind::data;
};

/// A block of unexpected messages, in order of arrival.
struct alignas(64) UnexpectedBlock {
  std::array<UnexpectedMessage, 5> messages;
  std::uint32_t next = kNoRecord;
  std::int32_t n = 0;

  bool full() const { return n == std::ssize(messages); }
  UnexpectedMessage remove(std::int32_t i) {
    const auto removed = messages[i];
    std::copy(messages.begin() + i + 1, messages.begin() + n, messages.begin() + i);
    --n;
    return removed;
  }
};
static_assert(sizeof(UnexpectedBlock) == 128);

/// Unexpected messages of a rank, in order of arrival. Most ranks have at most one: the first is stored
/// inline, further messages in a ring of blocks, whose last block links to the first.
class UnexpectedQueue {
 public:
  using Blocks = FreeList<UnexpectedBlock>;

  bool empty() const { return source_and_kind_ == kNoRecord; }

  void add(Blocks& blocks, const UnexpectedMessage& message) {
    if (empty()) {
      store_first(message);
      return;
    }
    if (last_ == kNoRecord || blocks[last_].full()) {
      const auto fresh = blocks.allocate();
      blocks[fresh].next = last_ == kNoRecord ? fresh : std::exchange(blocks[last_].next, fresh);
      last_ = fresh;
    }
    auto& block = blocks[last_];
    block.messages[block.n++] = message;
  }

  /// Removes each message for which matches(message) is true. Tests the messages in order of arrival, and
  /// stops when has_receives() is false.
  template <class HasReceives, class Matches>
  void remove(Blocks& blocks, HasReceives has_receives, Matches matches) {
    if (empty() || !has_receives()) return;
    if (matches(first())) source_and_kind_ = kNoRecord;
    if (last_ != kNoRecord && has_receives()) remove_from_blocks(blocks, has_receives, matches);
    if (empty() && last_ != kNoRecord) {
      const auto at = blocks[last_].next;
      store_first(blocks[at].remove(0));
      if (blocks[at].n == 0) unlink(blocks, at, last_);
    }
  }

  template <class Visitor>
  void each(const Blocks& blocks, Visitor visit) const {
    if (!empty()) visit(first());
    for (auto at = last_; at != kNoRecord;) {
      at = blocks[at].next;
      std::for_each_n(blocks[at].messages.begin(), blocks[at].n, visit);
      if (at == last_) break;
    }
  }

  /// Prefetches the messages that are not stored inline.
  void prefetch(const Blocks& blocks) const {
    if (last_ != kNoRecord) prefetch_for_write(blocks[last_]);
  }

 private:
  UnexpectedMessage first() const {
    return {bytes_, arrived_, static_cast<Rank>(source_and_kind_ >> 1),
            (source_and_kind_ & 1) != 0 ? PacketKind::request_to_send : PacketKind::data};
  }
  void store_first(const UnexpectedMessage& message) {
    bytes_ = message.bytes;
    arrived_ = message.arrived;
    source_and_kind_ =
        static_cast<std::uint32_t>(message.source) << 1 | (message.kind == PacketKind::request_to_send);
  }

  template <class HasReceives, class Matches>
  void remove_from_blocks(Blocks& blocks, HasReceives has_receives, Matches matches) {
    const auto end = last_;
    for (auto before = end, at = blocks[end].next; has_receives();) {
      auto& block = blocks[at];
      for (std::int32_t i = 0; i < block.n && has_receives();) {
        if (matches(block.messages[i]))
          block.remove(i);
        else
          ++i;
      }
      const auto next = block.next;
      if (block.n == 0)
        unlink(blocks, at, before);
      else
        before = at;
      if (at == end) return;
      at = next;
    }
  }
  void unlink(Blocks& blocks, std::uint32_t at, std::uint32_t before) {
    blocks[before].next = blocks[at].next;
    if (at == last_) last_ = before == at ? kNoRecord : before;
    blocks.release(at);
  }

  std::int64_t bytes_ = 0;  // `bytes_`, `arrived_`, `source_and_kind_`: the first message
  Time arrived_ = 0;
  std::uint32_t source_and_kind_ = kNoRecord;  // 2 * source, + 1 for a request to send
  std::uint32_t last_ = kNoRecord;
};
static_assert(sizeof(UnexpectedQueue) == 24);

}  // namespace halcyon::network
