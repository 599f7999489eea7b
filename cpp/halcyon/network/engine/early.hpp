#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "halcyon/base/index.hpp"
#include "halcyon/network/clock.hpp"
#include "halcyon/network/engine/fetch.hpp"
#include "halcyon/network/engine/parcel.hpp"
#include "halcyon/network/engine/pool.hpp"

namespace halcyon::network {

/// A message, or a request to send one, that came before its receive.
struct Early {
  std::int64_t bytes = 0;
  Time arrived = 0;
  Rank source = kNone;
  Kind kind = Kind::data;
};

/// A few of them in the order in which they came.
struct alignas(64) EarlyBlock {
  std::array<Early, 5> messages;
  std::uint32_t next = kNobody;
  std::int32_t n = 0;

  bool full() const { return n == std::ssize(messages); }
  Early remove(std::int32_t i) {
    const auto removed = messages[i];
    std::copy(messages.begin() + i + 1, messages.begin() + n, messages.begin() + i);
    --n;
    return removed;
  }
};
static_assert(sizeof(EarlyBlock) == 128);

/// What came early for a rank, in order. Mostly that is one message at most, and the first one lies here;
/// those behind it stand in a ring of blocks, whose last one knows the first.
class EarlyMessages {
 public:
  using Blocks = Pool<EarlyBlock>;

  bool empty() const { return from_ == kNobody; }

  void add(Blocks& blocks, const Early& early) {
    if (empty()) {
      put_first(early);
      return;
    }
    if (last_ == kNobody || blocks[last_].full()) {
      const auto fresh = blocks.take();
      blocks[fresh].next = last_ == kNobody ? fresh : std::exchange(blocks[last_].next, fresh);
      last_ = fresh;
    }
    auto& block = blocks[last_];
    block.messages[block.n++] = early;
  }

  /// Removes all for which takes(early), asked in order and only while wants().
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

  /// Calls see(early) for each.
  template <class See>
  void each(const Blocks& blocks, See see) const {
    if (!empty()) see(first());
    for (auto at = last_; at != kNobody;) {
      at = blocks[at].next;
      std::for_each_n(blocks[at].messages.begin(), blocks[at].n, see);
      if (at == last_) break;
    }
  }

  /// Asks the memory for those that do not lie here.
  void fetch(const Blocks& blocks) const {
    if (last_ != kNobody) fetch_lines(blocks[last_]);
  }

 private:
  Early first() const {
    return {bytes_, arrived_, static_cast<Rank>(from_ >> 1), (from_ & 1) != 0 ? Kind::request : Kind::data};
  }
  void put_first(const Early& early) {
    bytes_ = early.bytes;
    arrived_ = early.arrived;
    from_ = static_cast<std::uint32_t>(early.source) << 1 | (early.kind == Kind::request);
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
static_assert(sizeof(EarlyMessages) == 24);

}  // namespace halcyon::network
