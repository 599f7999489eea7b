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

/// Up to 64 receives of messages of one size, from sources first, first + stride, ...
struct Run {
  std::int64_t bytes = 0;
  std::uint64_t open = 0;  ///< bit i: the one from first + i stride has not come yet
  Rank first = kNone;
  std::int32_t stride = 1;
  std::uint32_t next = kNobody;
  std::int32_t count = 0;

  /// Takes one more in, where it continues the run.
  bool append(Rank source, std::int64_t size) {
    if (count == 0) {
      *this = {.bytes = size, .first = source, .next = next};
    } else {
      if (size != bytes || count == 64) return false;
      if (count == 1) stride = source - first;
      if (stride == 0 || source != first + count * stride) return false;
    }
    open |= std::uint64_t{1} << count++;
    return true;
  }

  /// The bit of an open receive of that message; 0 where there is none.
  std::uint64_t match(Rank source, std::int64_t size) const {
    if (size != bytes || open == 0) return 0;
    const auto ahead = source - first;
    if (ahead == 0) return open & 1;
    const auto i = ahead / stride;
    return i > 0 && i < count && i * stride == ahead ? open & (std::uint64_t{1} << i) : 0;
  }
};

/// The receives of a round, as few numbers: those of an all-to-all take half a byte each.
class Receives {
 public:
  void add(FreeList<Run>& runs, Rank source, std::int64_t bytes) {
    if (last(runs).append(source, bytes)) return;
    const auto fresh = runs.take();
    runs[fresh].append(source, bytes);
    last(runs).next = fresh;
    last_ = fresh;
  }

  /// Whether the message is awaited.
  bool awaits(const FreeList<Run>& runs, Rank source, std::int64_t bytes) const {
    const auto matches = [&](const Run& run) { return run.match(source, bytes) != 0; };
    if (matches(first_)) return true;
    for (auto at = first_.next; at != kNobody; at = runs[at].next) {
      if (matches(runs[at])) return true;
    }
    return false;
  }

  /// Ticks the message off. Says whether it was awaited.
  bool tick_off(FreeList<Run>& runs, Rank source, std::int64_t bytes) {
    for (auto* run = &first_;; run = &runs[run->next]) {
      if (const auto bit = run->match(source, bytes)) {
        run->open &= ~bit;
        return true;
      }
      if (run->next == kNobody) return false;
    }
  }

  void clear(FreeList<Run>& runs) {
    for (auto at = first_.next; at != kNobody;) {
      const auto next = runs[at].next;
      runs.give_back(at);
      at = next;
    }
    first_ = {};
    last_ = kNobody;
  }

  /// Calls see(source, bytes) for what has not come.
  template <class See>
  void each_open(const FreeList<Run>& runs, See see) const {
    for (const auto* run = &first_;; run = &runs[run->next]) {
      for (auto open = run->open; open != 0; open &= open - 1) {
        see(run->first + std::countr_zero(open) * run->stride, run->bytes);
      }
      if (run->next == kNobody) return;
    }
  }

 private:
  Run& last(FreeList<Run>& runs) { return last_ == kNobody ? first_ : runs[last_]; }

  Run first_;
  std::uint32_t last_ = kNobody;
};

/// A message, or a request to send one, that came before its receive.
struct Unexpected {
  std::int64_t bytes = 0;
  Time arrived = 0;
  Rank source = kNone;
  Kind kind = Kind::data;
};

/// A few of them in the order in which they came.
struct alignas(64) UnexpectedBlock {
  std::array<Unexpected, 5> messages;
  std::uint32_t next = kNobody;
  std::int32_t n = 0;

  bool full() const { return n == std::ssize(messages); }
  Unexpected remove(std::int32_t i) {
    const auto removed = messages[i];
    std::copy(messages.begin() + i + 1, messages.begin() + n, messages.begin() + i);
    --n;
    return removed;
  }
};
static_assert(sizeof(UnexpectedBlock) == 128);

/// What came for a rank before its receive, in order. Mostly that is one message at most, and the first one
/// lies here; those behind it stand in a ring of blocks, whose last one knows the first.
class UnexpectedMessages {
 public:
  using Blocks = FreeList<UnexpectedBlock>;

  bool empty() const { return from_ == kNobody; }

  void add(Blocks& blocks, const Unexpected& message) {
    if (empty()) {
      put_first(message);
      return;
    }
    if (last_ == kNobody || blocks[last_].full()) {
      const auto fresh = blocks.take();
      blocks[fresh].next = last_ == kNobody ? fresh : std::exchange(blocks[last_].next, fresh);
      last_ = fresh;
    }
    auto& block = blocks[last_];
    block.messages[block.n++] = message;
  }

  /// Removes all for which takes(message), asked in order and only while wants().
  template <class Wants, class Takes>
  void remove(Blocks& blocks, Wants wants, Takes takes) {
    if (empty() || !wants()) return;
    if (takes(first())) from_ = kNobody;
    if (last_ != kNobody && wants()) remove_behind(blocks, wants, takes);
    if (empty() && last_ != kNobody) {
      const auto at = blocks[last_].next;
      put_first(blocks[at].remove(0));
      if (blocks[at].n == 0) unlink(blocks, at, last_);
    }
  }

  /// Calls see(message) for each.
  template <class See>
  void each(const Blocks& blocks, See see) const {
    if (!empty()) see(first());
    for (auto at = last_; at != kNobody;) {
      at = blocks[at].next;
      std::for_each_n(blocks[at].messages.begin(), blocks[at].n, see);
      if (at == last_) break;
    }
  }

  /// Prefetches those that do not lie here.
  void prefetch(const Blocks& blocks) const {
    if (last_ != kNobody) prefetch_lines(blocks[last_]);
  }

 private:
  Unexpected first() const {
    return {bytes_, arrived_, static_cast<Rank>(from_ >> 1), (from_ & 1) != 0 ? Kind::request : Kind::data};
  }
  void put_first(const Unexpected& message) {
    bytes_ = message.bytes;
    arrived_ = message.arrived;
    from_ = static_cast<std::uint32_t>(message.source) << 1 | (message.kind == Kind::request);
  }

  template <class Wants, class Takes>
  void remove_behind(Blocks& blocks, Wants wants, Takes takes) {
    const auto end = last_;
    for (auto before = end, at = blocks[end].next; wants();) {
      auto& block = blocks[at];
      for (std::int32_t i = 0; i < block.n && wants();) {
        if (takes(block.messages[i]))
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
  /// Takes a block out of the ring.
  void unlink(Blocks& blocks, std::uint32_t at, std::uint32_t before) {
    blocks[before].next = blocks[at].next;
    if (at == last_) last_ = before == at ? kNobody : before;
    blocks.give_back(at);
  }

  std::int64_t bytes_ = 0;  // of the first, as the next two
  Time arrived_ = 0;
  std::uint32_t from_ = kNobody;  // twice the source, and 1 more where it is a request
  std::uint32_t last_ = kNobody;
};
static_assert(sizeof(UnexpectedMessages) == 24);

}  // namespace halcyon::network
