#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/free_list.hpp"

namespace halcyon::network {

/// What is still to happen, in order of time. Time is divided into windows; an event lies in the bucket of
/// the highest digit, to base 1024, in which its window differs from the present one, and moves to a lower
/// one when that digit's turn comes (a radix heap after Ahuja et al. 1990, J. ACM 37, 213-223, whose last
/// digits are sorted a window at a time). Nothing may be pushed before the present window, or behind the end
/// of time.
///
/// @tparam Event has `Time time`, `std::uint32_t precedence() const`, and `bool before(const Event&) const`:
/// a total order that begins with the two
template <class Event>
class EventQueue {
 public:
  using Window = std::int64_t;
  static constexpr Window kNoWindow = kNever;

  /// @param width [ps] of a window at most, at least 8; the result does not depend on it
  explicit EventQueue(Time width)
      : shift_(std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width))) - 1, 3, 24)),
        end_(kEndOfTime >> shift_),
        buckets_(kLevels * kDigits) {}

  void push(const Event& event) {
    push(event, event.time, [](Event&) {});
  }

  /// Pushes a copy that change(copy) makes due at `time`.
  template <class Change>
  void push(const Event& event, Time time, Change change) {
    const auto window = this->window(time);
    const bool late = open_ && window == present_;
    auto& copy = late ? late_.emplace_back() : room(window);
    copy = event;
    change(copy);
    if (late) std::push_heap(late_.begin(), late_.end(), after);
  }

  Window window(Time time) const { return time >> shift_; }

  /// The first window that may have events; kNoWindow where there is none at all.
  Window earliest() const {
    for (int level = 0; level < kLevels; ++level) {
      const auto digit = first_used(level, digit_of(present_, level));
      if (digit < kDigits) {
        const auto upper = present_ >> (kBits * level) >> kBits << kBits;
        return std::max(present_, (upper | digit) << (kBits * level));
      }
    }
    return kNoWindow;
  }

  /// Makes a window the present one and sorts its events; none before it may be left. Calls prefetch(event)
  /// for the first ones before that.
  template <class Prefetch>
  void open(Window window, Prefetch prefetch) {
    const auto last = present_;
    present_ = window;
    open_ = false;
    if (last >> kBits != window >> kBits) {
      for (int level = kLevels - 1; level > 0; --level) spread(level, digit_of(window, level));
    }
    gather(digit_of(window, 0));
    for (std::size_t i = 0; i < std::min(order_.size(), kPrefetched); ++i) prefetch(sorted(i));
    sort();
    at_ = 0;
    open_ = true;
  }

  /// The present window's next event, until the next call; null, and the window closed, where there is none.
  const Event* pop() {
    if (!late_.empty() && (at_ == order_.size() || late_.front().before(sorted(at_)))) {
      std::pop_heap(late_.begin(), late_.end(), after);
      popped_ = late_.back();
      late_.pop_back();
      return &popped_;
    }
    if (at_ == order_.size()) {
      open_ = false;
      give_back(std::exchange(sorted_, kNobody));
      return nullptr;
    }
    return &sorted(at_++);
  }

  /// Prefetches the event that comes some places later in the window.
  void prefetch(std::size_t places) const {
    if (at_ + places < order_.size()) __builtin_prefetch(&sorted(at_ + places));
  }
  /// The event that comes some places later in the window, or null.
  const Event* ahead(std::size_t places) const {
    return at_ + places < order_.size() ? &sorted(at_ + places) : nullptr;
  }
  bool is_long() const { return order_.size() > kPrefetched; }

 private:
  static constexpr int kBits = 10, kLevels = 6, kWords = 16, kBlockEvents = 15, kPlaces = 16;
  static constexpr std::size_t kPrefetched = 64;
  static constexpr Window kDigits = Window{1} << kBits;

  struct Block {
    std::array<Event, kBlockEvents> events;
    std::uint32_t next = kNobody;
  };
  struct Bucket {
    std::uint32_t last = kNobody, count = kBlockEvents;  // of its last block
  };

  static bool after(const Event& a, const Event& b) { return b.before(a); }
  static Window digit_of(Window window, int level) { return (window >> (kBits * level)) & (kDigits - 1); }

  /// A place in the bucket of a window.
  Event& room(Window window) {
    if (window < present_ || window >= end_) [[unlikely]]
      refuse(window);
    const auto differs = static_cast<std::uint64_t>(window ^ present_);
    const int level = differs == 0 ? 0 : (static_cast<int>(std::bit_width(differs)) - 1) / kBits;
    const auto digit = digit_of(window, level);
    auto& bucket = buckets_[level * kDigits + digit];
    if (bucket.count == kBlockEvents) {
      used_[level][digit >> 6] |= std::uint64_t{1} << (digit & 63);
      bucket = {follow(bucket.last), 0};
    }
    return blocks_[bucket.last].events[bucket.count++];
  }

  [[noreturn, gnu::cold]] void refuse(Window window) const {
    require<InternalError>(window >= present_, "An event at {} ps comes after its time.", window << shift_);
    refuse_time("Messages are under way", window << shift_);
  }

  /// A new block behind a bucket's last one. A bucket is a ring: its last block knows its first.
  std::uint32_t follow(std::uint32_t last) {
    const auto fresh = blocks_.take_raw();
    blocks_[fresh].next = last == kNobody ? fresh : std::exchange(blocks_[last].next, fresh);
    return fresh;
  }

  Window first_used(int level, Window from) const {
    auto word = static_cast<int>(from >> 6);
    auto bits = used_[level][word] & (~std::uint64_t{0} << (from & 63));
    while (bits == 0 && ++word < kWords) bits = used_[level][word];
    return bits == 0 ? kDigits : 64 * word + std::countr_zero(bits);
  }

  /// Takes a bucket, which is empty afterwards, and calls take(number of a block, its events) for all blocks,
  /// in the order in which they were filled. @returns its last block
  template <class Take>
  std::uint32_t empty(int level, Window digit, Take take) {
    used_[level][digit >> 6] &= ~(std::uint64_t{1} << (digit & 63));
    const auto bucket = std::exchange(buckets_[level * kDigits + digit], {});
    for (auto at = bucket.last; at != kNobody;) {
      at = blocks_[at].next;
      take(at, std::span(blocks_[at].events).first(at == bucket.last ? bucket.count : kBlockEvents));
      if (at == bucket.last) break;
    }
    return bucket.last;
  }

  /// Gives back a ring of blocks.
  void give_back(std::uint32_t last) {
    for (auto at = last; at != kNobody;) {
      at = blocks_[at].next;
      blocks_.give_back(at);
      if (at == last) return;
    }
  }

  void spread(int level, Window digit) {
    give_back(empty(level, digit, [this](std::uint32_t, std::span<const Event> events) {
      for (const auto& event : events) room(window(event.time)) = event;
    }));
  }

  /// The events of the present window stay in their blocks. order_: the time within the window above, block
  /// and place below.
  void gather(Window digit) {
    const auto mask = (Time{1} << shift_) - 1;
    order_.clear();
    sorted_ = empty(0, digit, [this, mask](std::uint32_t block, std::span<const Event> events) {
      auto place = std::uint64_t{block} * kPlaces;
      for (const auto& event : events) {
        order_.push_back(static_cast<std::uint64_t>(event.time & mask) << 32 | place++);
      }
    });
  }

  const Event& event(std::uint64_t key) const {
    const auto place = static_cast<std::uint32_t>(key);
    return blocks_[place / kPlaces].events[place % kPlaces];
  }
  const Event& sorted(std::size_t i) const { return event(order_[i]); }

  void sort() {
    sort_by_upper(order_, shift_);
    each_tied(order_, [this](std::span<std::uint64_t> tied) { sort_tied(tied); });
  }

  /// Events of one time: by precedence, of which few are equal, and those as they are.
  void sort_tied(std::span<std::uint64_t> keys) {
    for (auto& key : keys) {
      key = std::uint64_t{event(key).precedence()} << 32 | static_cast<std::uint32_t>(key);
    }
    sort_by_upper(keys, 32);
    each_tied(keys, [this](std::span<std::uint64_t> equal) {
      std::ranges::sort(equal,
                        [this](std::uint64_t a, std::uint64_t b) { return event(a).before(event(b)); });
    });
  }

  /// By the upper halves, of which so many bits differ.
  void sort_by_upper(std::span<std::uint64_t> keys, int bits) {
    if (std::ranges::is_sorted(keys)) return;
    if (keys.size() < 96) {
      std::ranges::sort(keys);
      return;
    }
    spare_.resize(std::max(spare_.size(), keys.size()));
    for (int low = 32; low < 32 + bits; low += 8) {
      std::array<std::uint32_t, 257> starts{};
      for (const auto key : keys) ++starts[(key >> low & 255) + 1];
      for (int d = 0; d < 256; ++d) starts[d + 1] += starts[d];
      for (const auto key : keys) spare_[starts[key >> low & 255]++] = key;
      std::copy_n(spare_.begin(), keys.size(), keys.begin());
    }
  }

  /// Calls see(keys) for all runs of keys whose upper halves are equal.
  template <class See>
  static void each_tied(std::span<std::uint64_t> keys, See see) {
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      for (end = begin + 1; end < keys.size() && keys[end] >> 32 == keys[begin] >> 32;) ++end;
      if (end - begin > 1) see(keys.subspan(begin, end - begin));
    }
  }

  int shift_;
  Window end_, present_ = 0;
  bool open_ = false;
  std::vector<Bucket> buckets_;
  std::array<std::array<std::uint64_t, kWords>, kLevels> used_{};
  FreeList<Block> blocks_;
  std::vector<Event> late_;
  std::uint32_t sorted_ = kNobody;  // the last block of the present window
  std::vector<std::uint64_t> order_, spare_;
  std::size_t at_ = 0;
  Event popped_{};
};

}  // namespace halcyon::network
