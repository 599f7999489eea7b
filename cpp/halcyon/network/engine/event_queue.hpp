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

/// Pending events, ordered by time. Time is divided into windows, whose numbers have digits to base 1024.
/// An event's bucket is the level and the value of the highest digit in which its window differs from the
/// current window. The event moves to a lower level when the current window reaches that digit, and is sorted
/// when its window is opened (a radix heap after Ahuja et al. 1990, J. ACM 37, 213-223). No event may be
/// pushed before the current window or after the end of time.
///
/// @tparam Event has `Time time`, `std::uint32_t precedence() const`, and `bool before(const Event&) const`:
/// a total order whose first two keys are time and precedence
template <class Event>
class EventQueue {
 public:
  using Window = std::int64_t;
  static constexpr Window kNoWindow = kNever;

  /// @param width [ps] maximum width of a window, at least 8; the result does not depend on it
  explicit EventQueue(Time width)
      : shift_(std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width))) - 1, 3, 24)),
        end_window_(kEndOfTime >> shift_),
        buckets_(kLevels * kDigits) {}

  void push(const Event& event) {
    push(event, event.time, [](Event&) {});
  }

  /// Pushes a copy of the event, modified by change(copy), after which its time must be `time`.
  template <class Change>
  void push(const Event& event, Time time, Change change) {
    const auto window = this->window(time);
    const bool is_open_window = is_open_ && window == current_;
    auto& copy = is_open_window ? open_heap_.emplace_back() : append_slot(window);
    copy = event;
    change(copy);
    if (is_open_window) std::push_heap(open_heap_.begin(), open_heap_.end(), after);
  }

  Window window(Time time) const { return time >> shift_; }

  /// Returns the first window that may contain events; kNoWindow if the queue is empty.
  Window earliest() const {
    for (int level = 0; level < kLevels; ++level) {
      const auto digit = first_used_digit(level, digit_of(current_, level));
      if (digit < kDigits) {
        const auto upper_digits = current_ >> (kDigitBits * level) >> kDigitBits << kDigitBits;
        return std::max(current_, (upper_digits | digit) << (kDigitBits * level));
      }
    }
    return kNoWindow;
  }

  /// Makes `window` the current window, opens it, and sorts its events; earlier windows must be empty. Calls
  /// prefetch(event) for the first events before it sorts them.
  template <class Prefetch>
  void open(Window window, Prefetch prefetch) {
    const auto previous = current_;
    current_ = window;
    is_open_ = false;
    if (previous >> kDigitBits != window >> kDigitBits) {
      for (int level = kLevels - 1; level > 0; --level) redistribute(level, digit_of(window, level));
    }
    collect_keys(digit_of(window, 0));
    for (std::size_t i = 0; i < std::min(keys_.size(), kPrefetched); ++i) prefetch(sorted(i));
    sort();
    next_key_ = 0;
    is_open_ = true;
  }

  /// Returns the next event of the open window (until the next call), or closes the window and returns null.
  const Event* pop() {
    if (!open_heap_.empty() && (next_key_ == keys_.size() || open_heap_.front().before(sorted(next_key_)))) {
      std::pop_heap(open_heap_.begin(), open_heap_.end(), after);
      popped_ = open_heap_.back();
      open_heap_.pop_back();
      return &popped_;
    }
    if (next_key_ == keys_.size()) {
      is_open_ = false;
      release_ring(std::exchange(open_ring_, kNoRecord));
      return nullptr;
    }
    return &sorted(next_key_++);
  }

  /// Prefetches the event `offset` positions after the next event of the open window.
  void prefetch(std::size_t offset) const {
    if (next_key_ + offset < keys_.size()) __builtin_prefetch(&sorted(next_key_ + offset));
  }
  /// Returns the event `offset` positions after the next event of the open window, or null.
  const Event* peek(std::size_t offset) const {
    return next_key_ + offset < keys_.size() ? &sorted(next_key_ + offset) : nullptr;
  }
  /// Whether the open window has more events than `open` prefetches.
  bool needs_prefetch() const { return keys_.size() > kPrefetched; }

 private:
  static constexpr int kDigitBits = 10, kLevels = 6, kBitmapWords = 16;
  static constexpr int kBlockEvents = 15, kBlockStride = 16;  // stride: of slot numbers, a power of two
  static constexpr std::size_t kPrefetched = 64;
  static constexpr Window kDigits = Window{1} << kDigitBits;

  struct Block {
    std::array<Event, kBlockEvents> events;
    std::uint32_t next = kNoRecord;
  };
  struct Bucket {
    std::uint32_t last_block = kNoRecord, count = kBlockEvents;  // of the last block; no block: as if full
  };

  static bool after(const Event& a, const Event& b) { return b.before(a); }
  static Window digit_of(Window window, int level) {
    return (window >> (kDigitBits * level)) & (kDigits - 1);
  }

  Event& append_slot(Window window) {
    if (window < current_ || window >= end_window_) [[unlikely]]
      throw_invalid_window(window);
    const auto difference = static_cast<std::uint64_t>(window ^ current_);
    const int level = difference == 0 ? 0 : (static_cast<int>(std::bit_width(difference)) - 1) / kDigitBits;
    const auto digit = digit_of(window, level);
    auto& bucket = buckets_[level * kDigits + digit];
    if (bucket.count == kBlockEvents) {
      used_[level][digit >> 6] |= std::uint64_t{1} << (digit & 63);
      bucket = {append_block(bucket.last_block), 0};
    }
    return blocks_[bucket.last_block].events[bucket.count++];
  }

  [[noreturn, gnu::cold]] void throw_invalid_window(Window window) const {
    require<InternalError>(window >= current_, "An event was pushed at {} ps, before the current window.",
                           window << shift_);
    throw_time_overflow("Messages are in flight", window << shift_);
  }

  /// Appends a new block to a bucket. The blocks of a bucket form a ring: the last block links to the first.
  std::uint32_t append_block(std::uint32_t last_block) {
    const auto new_block = blocks_.allocate_uninitialized();
    blocks_[new_block].next =
        last_block == kNoRecord ? new_block : std::exchange(blocks_[last_block].next, new_block);
    return new_block;
  }

  /// Returns the first digit, at least `from`, whose bucket has events; kDigits if there is none.
  Window first_used_digit(int level, Window from) const {
    auto word = static_cast<int>(from >> 6);
    auto bits = used_[level][word] & (~std::uint64_t{0} << (from & 63));
    while (bits == 0 && ++word < kBitmapWords) bits = used_[level][word];
    return bits == 0 ? kDigits : 64 * word + std::countr_zero(bits);
  }

  /// Empties a bucket, and calls visit(block, events) for all blocks in the order in which they were filled.
  /// The caller releases the blocks. @returns the last block
  template <class Visitor>
  std::uint32_t drain(int level, Window digit, Visitor visit) {
    used_[level][digit >> 6] &= ~(std::uint64_t{1} << (digit & 63));
    const auto bucket = std::exchange(buckets_[level * kDigits + digit], {});
    for (auto block = bucket.last_block; block != kNoRecord;) {
      block = blocks_[block].next;
      visit(block,
            std::span(blocks_[block].events).first(block == bucket.last_block ? bucket.count : kBlockEvents));
      if (block == bucket.last_block) break;
    }
    return bucket.last_block;
  }

  void release_ring(std::uint32_t last_block) {
    for (auto block = last_block; block != kNoRecord;) {
      block = blocks_[block].next;
      blocks_.release(block);
      if (block == last_block) return;
    }
  }

  void redistribute(int level, Window digit) {
    release_ring(drain(level, digit, [this](std::uint32_t, std::span<const Event> events) {
      for (const auto& event : events) append_slot(window(event.time)) = event;
    }));
  }

  /// Collects the keys of the current window; its events stay in their blocks. The upper half of a key is the
  /// time within the window, the lower half the block and slot of the event.
  void collect_keys(Window digit) {
    const auto mask = (Time{1} << shift_) - 1;
    keys_.clear();
    open_ring_ = drain(0, digit, [this, mask](std::uint32_t block, std::span<const Event> events) {
      auto slot = std::uint64_t{block} * kBlockStride;
      for (const auto& event : events)
        keys_.push_back(static_cast<std::uint64_t>(event.time & mask) << 32 | slot++);
    });
  }

  const Event& event(std::uint64_t key) const {
    const auto slot = static_cast<std::uint32_t>(key);
    return blocks_[slot / kBlockStride].events[slot % kBlockStride];
  }
  const Event& sorted(std::size_t i) const { return event(keys_[i]); }

  void sort() {
    sort_by_upper(keys_, shift_);
    for_each_tie(keys_, [this](std::span<std::uint64_t> tied) { sort_tied(tied); });
  }

  /// Sorts events of equal time by precedence, and events of equal precedence by `before`.
  void sort_tied(std::span<std::uint64_t> keys) {
    for (auto& key : keys)
      key = std::uint64_t{event(key).precedence()} << 32 | static_cast<std::uint32_t>(key);
    sort_by_upper(keys, 32);
    for_each_tie(keys, [this](std::span<std::uint64_t> equal) {
      std::ranges::sort(equal,
                        [this](std::uint64_t a, std::uint64_t b) { return event(a).before(event(b)); });
    });
  }

  /// Sorts by the upper halves of the keys, which differ in their lowest `bits` bits only (radix sort).
  void sort_by_upper(std::span<std::uint64_t> keys, int bits) {
    if (std::ranges::is_sorted(keys)) return;
    if (keys.size() < 48) {  // few keys: a comparison sort is faster
      std::ranges::sort(keys);
      return;
    }
    sort_buffer_.resize(std::max(sort_buffer_.size(), keys.size()));
    for (int shift = 32; shift < 32 + bits; shift += 8) {
      std::array<std::uint32_t, 257> starts{};
      for (const auto key : keys) ++starts[(key >> shift & 255) + 1];
      for (int d = 0; d < 256; ++d) starts[d + 1] += starts[d];
      for (const auto key : keys) sort_buffer_[starts[key >> shift & 255]++] = key;
      std::copy_n(sort_buffer_.begin(), keys.size(), keys.begin());
    }
  }

  /// Calls visit(keys) for each run of keys with equal upper halves.
  template <class Visitor>
  static void for_each_tie(std::span<std::uint64_t> keys, Visitor visit) {
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      for (end = begin + 1; end < keys.size() && keys[end] >> 32 == keys[begin] >> 32;) ++end;
      if (end - begin > 1) visit(keys.subspan(begin, end - begin));
    }
  }

  int shift_;  // a window is 2^shift ps wide
  Window end_window_, current_ = 0;
  bool is_open_ = false;
  std::vector<Bucket> buckets_;                                          // (level, digit)
  std::array<std::array<std::uint64_t, kBitmapWords>, kLevels> used_{};  // one bit per bucket: it has events
  FreeList<Block> blocks_;
  std::vector<Event> open_heap_;         // heap of the events pushed into the open window
  std::uint32_t open_ring_ = kNoRecord;  // last block of the open window's other events
  std::vector<std::uint64_t> keys_, sort_buffer_;
  std::size_t next_key_ = 0;  // index of the next event of the open window in `keys_`
  Event popped_{};            // the event of `open_heap_` that `pop` has returned
};

}  // namespace halcyon::network
