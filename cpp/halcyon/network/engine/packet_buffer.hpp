#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/free_list.hpp"

namespace halcyon::network {

/// Bytes of a buffer that are free from `time` on.
struct Credit {
  Time time = 0;
  std::uint32_t bytes = 0;  ///< 0: no credit
  std::uint32_t next = kNoRecord;
};

/// The sender's state of a buffer: the sender is a link, with one buffer per virtual channel at the link's
/// end, or a NIC, with one buffer in its switch. Packets wait at the sender until their bytes are free. A
/// packet that is larger than the buffer needs all of it. One cache line.
class alignas(64) PacketBuffer {
 public:
  /// @param to switch at the end of the link  @param latency of a credit: that of the link; 0 for a NIC
  PacketBuffer(Switch to, Time latency) : latency(latency), to(to), is_used_(true) {}

  Time retry_time = kNever;  ///< time of the next retry for the waiting packets
  std::uint32_t queue_head = kNoRecord, queue_tail = kNoRecord;  ///< records of waiting packets
  Time latency;
  Switch to;

  /// Whether the buffer has been constructed; false for zeros.
  bool is_used() const { return is_used_; }

  /// Reserves bytes if they are free at `now`. Returns whether they are.
  [[gnu::always_inline]] bool try_reserve(FreeList<Credit>& credits, std::uint32_t bytes,
                                          std::int64_t capacity, Time now) {
    if (!fits(bytes, capacity)) absorb(credits, now);
    if (!fits(bytes, capacity)) return false;
    used_ += bytes;
    return true;
  }

  /// Reserves bytes from the time when they are free, which is returned; kNever, without a reservation, if
  /// the known credits do not suffice.
  Time reserve_earliest(FreeList<Credit>& credits, std::uint32_t bytes, std::int64_t capacity) {
    const auto when = earliest_room(credits, bytes, capacity);
    if (when != kNever) try_reserve(credits, bytes, capacity, when);
    return when;
  }

  /// Returns the time from which the bytes are free; kNever if the known credits do not suffice.
  Time earliest_room(const FreeList<Credit>& credits, std::uint32_t bytes, std::int64_t capacity) const {
    Time when = 0;
    auto used = used_;
    while (used > 0 && used + bytes > capacity) {
      when = next_credit(credits, when + 1);
      if (when == kNever) return kNever;
      used = this->used(credits, when);
    }
    return when;
  }

  /// @param now time of the current event; earlier credits make room in the list
  [[gnu::always_inline]] void add_credit(FreeList<Credit>& credits, Time time, std::uint32_t bytes,
                                         Time now) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (bytes_[i] > 0 && times_[i] > now) continue;
      used_ -= bytes_[i];
      times_[i] = time;
      bytes_[i] = bytes;
      return;
    }
    const auto record = credits.allocate_uninitialized();
    credits[record] = {time, bytes, std::exchange(further_, record)};
    if (record % kRecordsPerAbsorption == 0) absorb(credits, now);  // else the list grows while all fits
  }

  /// Returns the bytes that are reserved and not free at `now`.
  std::int64_t used(const FreeList<Credit>& credits, Time now) const {
    auto used = used_;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] <= now) used -= bytes_[i];
    }
    for (auto record = further_; record != kNoRecord; record = credits[record].next) {
      if (credits[record].time <= now) used -= credits[record].bytes;
    }
    return used;
  }

 private:
  static constexpr std::uint32_t kRecordsPerAbsorption = 16;

  bool fits(std::uint32_t bytes, std::int64_t capacity) const {
    return used_ + bytes <= capacity || used_ == 0;
  }
  /// Returns the time of the first credit from `earliest` on; kNever without one.
  Time next_credit(const FreeList<Credit>& credits, Time earliest) const {
    Time next = kNever;
    const auto consider = [&](Time time) {
      if (time >= earliest) next = std::min(next, time);
    };
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (bytes_[i] > 0) consider(times_[i]);
    }
    for (auto record = further_; record != kNoRecord; record = credits[record].next)
      consider(credits[record].time);
    return next;
  }
  /// Frees the bytes of all credits up to `now`.
  [[gnu::noinline]] void absorb(FreeList<Credit>& credits, Time now) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] <= now) used_ -= std::exchange(bytes_[i], 0);
    }
    for (auto* record = &further_; *record != kNoRecord;) {
      auto& credit = credits[*record];
      if (credit.time <= now) {
        used_ -= credit.bytes;
        credits.release(std::exchange(*record, credit.next));
      } else {
        record = &credit.next;
      }
    }
  }

  // The first credits are in arrays; further ones are records of the free list.
  std::uint32_t further_ = kNoRecord;
  std::int64_t used_ : 63 = 0;  // bytes reserved and not yet freed by an absorbed credit
  bool is_used_ : 1;
  std::array<Time, 2> times_{};
  std::array<std::uint32_t, 2> bytes_{};
};
static_assert(sizeof(PacketBuffer) == 64);

}  // namespace halcyon::network
