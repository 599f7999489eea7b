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

/// Up to 64 posted receives of one message size, from ranks first_source, first_source + stride, ...
struct ReceiveRun {
  std::int64_t bytes = 0;
  std::uint64_t pending = 0;  ///< bit i: the message from first_source + i stride has not arrived
  Rank first_source = kNone;
  std::int32_t stride = 1;
  std::uint32_t next = kNoRecord;  ///< record of the next run of the same round
  std::int32_t count = 0;          ///< number of receives

  /// Appends a receive if it continues the run. Returns whether it does.
  bool append(Rank source, std::int64_t size) {
    if (count == 0) {
      *this = {.bytes = size, .first_source = source, .next = next};
    } else {
      if (size != bytes || count == 64 || source == first_source) return false;
      if (count == 1) stride = source - first_source;
      if (source != first_source + count * stride) return false;
    }
    pending |= std::uint64_t{1} << count++;
    return true;
  }

  /// Returns the bit in `pending` of a receive that matches the message; 0 if there is none.
  std::uint64_t pending_bit(Rank source, std::int64_t size) const {
    if (size != bytes || pending == 0) return 0;
    const auto offset = source - first_source;
    if (offset == 0) return pending & 1;
    const auto i = offset / stride;
    return i > 0 && i < count && i * stride == offset ? pending & (std::uint64_t{1} << i) : 0;
  }
};

/// The posted receives of a round, compressed into runs: an all-to-all needs half a byte per receive.
class PostedReceives {
 public:
  void add(FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) {
    if (last_run(runs).append(source, bytes)) return;
    const auto new_run = runs.allocate();
    runs[new_run].append(source, bytes);
    last_run(runs).next = new_run;
    last_run_ = new_run;
  }

  /// Whether a pending receive matches the message.
  bool has_pending(const FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) const {
    const auto matches = [&](const ReceiveRun& run) { return run.pending_bit(source, bytes) != 0; };
    if (matches(first_run_)) return true;
    for (auto number = first_run_.next; number != kNoRecord; number = runs[number].next) {
      if (matches(runs[number])) return true;
    }
    return false;
  }

  /// Completes the pending receive that matches the message. Returns false if there is none.
  bool match(FreeList<ReceiveRun>& runs, Rank source, std::int64_t bytes) {
    for (auto* run = &first_run_;; run = &runs[run->next]) {
      if (const auto bit = run->pending_bit(source, bytes)) {
        run->pending &= ~bit;
        return true;
      }
      if (run->next == kNoRecord) return false;
    }
  }

  void clear(FreeList<ReceiveRun>& runs) {
    for (auto number = first_run_.next; number != kNoRecord;) {
      const auto next = runs[number].next;
      runs.release(number);
      number = next;
    }
    first_run_ = {};
    last_run_ = kNoRecord;
  }

  template <class Visitor>
  void for_each_pending(const FreeList<ReceiveRun>& runs, Visitor visit) const {
    for (const auto* run = &first_run_;; run = &runs[run->next]) {
      for (auto pending = run->pending; pending != 0; pending &= pending - 1)
        visit(run->first_source + std::countr_zero(pending) * run->stride, run->bytes);
      if (run->next == kNoRecord) return;
    }
  }

 private:
  ReceiveRun& last_run(FreeList<ReceiveRun>& runs) {
    return last_run_ == kNoRecord ? first_run_ : runs[last_run_];
  }

  ReceiveRun first_run_;
  std::uint32_t last_run_ = kNoRecord;
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
  std::int32_t n_messages = 0;

  bool is_full() const { return n_messages == std::ssize(messages); }
  UnexpectedMessage remove(std::int32_t i) {
    const auto removed = messages[i];
    std::copy(messages.begin() + i + 1, messages.begin() + n_messages, messages.begin() + i);
    --n_messages;
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
    if (last_block_ == kNoRecord || blocks[last_block_].is_full()) {
      const auto new_block = blocks.allocate();
      blocks[new_block].next =
          last_block_ == kNoRecord ? new_block : std::exchange(blocks[last_block_].next, new_block);
      last_block_ = new_block;
    }
    auto& block = blocks[last_block_];
    block.messages[block.n_messages++] = message;
  }

  /// Removes each message for which matches(message) is true. Tests the messages in order of arrival, and
  /// stops when has_receives() is false.
  template <class HasReceives, class Matches>
  void remove(Blocks& blocks, HasReceives has_receives, Matches matches) {
    if (empty() || !has_receives()) return;
    if (matches(first_message())) source_and_kind_ = kNoRecord;
    if (last_block_ != kNoRecord && has_receives()) remove_from_blocks(blocks, has_receives, matches);
    if (empty() && last_block_ != kNoRecord) {
      const auto number = blocks[last_block_].next;
      store_first(blocks[number].remove(0));
      if (blocks[number].n_messages == 0) unlink(blocks, number, last_block_);
    }
  }

  template <class Visitor>
  void for_each(const Blocks& blocks, Visitor visit) const {
    if (!empty()) visit(first_message());
    for (auto number = last_block_; number != kNoRecord;) {
      number = blocks[number].next;
      std::for_each_n(blocks[number].messages.begin(), blocks[number].n_messages, visit);
      if (number == last_block_) break;
    }
  }

  /// Prefetches the messages that are not stored inline.
  void prefetch(const Blocks& blocks) const {
    if (last_block_ != kNoRecord) prefetch_for_write(blocks[last_block_]);
  }

 private:
  UnexpectedMessage first_message() const {
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
    const auto last_number = last_block_;
    for (auto previous = last_number, number = blocks[last_number].next; has_receives();) {
      auto& block = blocks[number];
      for (std::int32_t i = 0; i < block.n_messages && has_receives();) {
        if (matches(block.messages[i]))
          block.remove(i);
        else
          ++i;
      }
      const auto next = block.next;
      if (block.n_messages == 0)
        unlink(blocks, number, previous);
      else
        previous = number;
      if (number == last_number) return;
      number = next;
    }
  }
  void unlink(Blocks& blocks, std::uint32_t number, std::uint32_t previous) {
    blocks[previous].next = blocks[number].next;
    if (number == last_block_) last_block_ = previous == number ? kNoRecord : previous;
    blocks.release(number);
  }

  std::int64_t bytes_ = 0;  // `bytes_`, `arrived_`, `source_and_kind_`: members of the first message
  Time arrived_ = 0;
  std::uint32_t source_and_kind_ = kNoRecord;  // 2 * source, + 1 for a request to send
  std::uint32_t last_block_ = kNoRecord;
};
static_assert(sizeof(UnexpectedQueue) == 24);

}  // namespace halcyon::network
