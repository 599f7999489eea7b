#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/free_list.hpp"
#include "halcyon/network/engine/packet.hpp"

namespace halcyon::network {

/// Messages of which some packets have arrived, in any order. A message is complete when all its bytes have
/// arrived. Messages of one size between two ranks are interchangeable in the matching, so a complete one is
/// held until all earlier ones of which packets have arrived are complete, too (MPI 4.1, section 3.5:
/// messages do not overtake). A message overtakes another one only if it is complete before the other's first
/// packet arrives.
class Arrivals {
 public:
  /// @param stripe_mask bits of a sequence number that differ between packets of a message
  explicit Arrivals(std::uint32_t stripe_mask) : stripe_mask_(stripe_mask) {}

  /// Adds a packet that arrives at `arrival`, and calls receive(last packet, arrival) for each message that
  /// is complete and not held.
  template <class Receive>
  void add(const Packet& packet, Time arrival, Receive receive) {
    if (4 * (n_pairs_ + 1) > 3 * slots_.size()) grow();
    auto slot = find(key_of(packet));
    if (slots_[slot].first == kNoRecord) slots_[slot].key = key_of(packet), ++n_pairs_;
    auto* place = &slots_[slot].first;
    while (*place != kNoRecord && is_before(messages_[*place].packet, packet))
      place = &messages_[*place].next;
    if (*place == kNoRecord || is_before(packet, messages_[*place].packet)) {
      const auto record = messages_.allocate_uninitialized();
      messages_[record] = {packet, static_cast<std::int64_t>(packet.message_bytes), 0, *place};
      *place = record;
    }
    auto& message = messages_[*place];
    message.packet.sent = std::min(message.packet.sent, packet.sent);
    message.bytes_left -= packet.bytes;
    message.arrival = std::max(message.arrival, arrival);
    if (message.bytes_left > 0 || is_held(slots_[slot].first, *place)) return;
    // `receive` may add no packets, but the records may move in the list: collect the complete messages
    // first.
    complete_.clear();
    auto latest = message.arrival;
    const auto size = packet.message_bytes;
    while (*place != kNoRecord) {
      auto& next = messages_[*place];
      if (next.packet.message_bytes == size) {
        if (next.bytes_left > 0) break;
        latest = std::max(latest, next.arrival);
        complete_.emplace_back(next.packet, latest);
        messages_.release(std::exchange(*place, next.next));
      } else {
        place = &next.next;
      }
    }
    if (slots_[slot].first == kNoRecord) erase(slot);
    for (const auto& [last, completion] : complete_) receive(last, completion);
  }

 private:
  struct Message {
    Packet packet;  // any packet of the message
    std::int64_t bytes_left = 0;
    Time arrival = 0;  // of the last packet so far
    std::uint32_t next = kNoRecord;
  };
  struct Slot {
    std::uint64_t key = 0;  // source and target rank
    std::uint32_t first = kNoRecord;
  };

  static std::uint64_t key_of(const Packet& packet) {
    return static_cast<std::uint64_t>(packet.source) << 32 | static_cast<std::uint32_t>(packet.target);
  }
  /// Whether the message of `a` was sent before that of `b`, by sequence numbers modulo 2^32.
  bool is_before(const Packet& a, const Packet& b) const {
    return static_cast<std::int32_t>((a.sequence & ~stripe_mask_) - (b.sequence & ~stripe_mask_)) < 0;
  }
  /// Whether an earlier message of the same size is incomplete.
  bool is_held(std::uint32_t first, std::uint32_t record) const {
    const auto size = messages_[record].packet.message_bytes;
    for (; first != record; first = messages_[first].next) {
      if (messages_[first].packet.message_bytes == size) return true;
    }
    return false;
  }

  // A hash table with linear probing (Knuth, The Art of Computer Programming 3, section 6.4, algorithms L,
  // R).
  std::size_t home(std::uint64_t key) const { return splitmix64(key) & (slots_.size() - 1); }
  std::size_t find(std::uint64_t key) const {
    auto slot = home(key);
    while (slots_[slot].first != kNoRecord && slots_[slot].key != key)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    auto old = std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(2 * slots_.size(), 64)));
    for (const auto& slot : old) {
      if (slot.first != kNoRecord) slots_[find(slot.key)] = slot;
    }
  }
  void erase(std::size_t slot) {
    --n_pairs_;
    const auto mask = slots_.size() - 1;
    for (auto next = slot;;) {
      slots_[slot].first = kNoRecord;
      do {
        next = (next + 1) & mask;
        if (slots_[next].first == kNoRecord) return;
      } while (((next - home(slots_[next].key)) & mask) < ((next - slot) & mask));
      slots_[slot] = slots_[next];
      slot = next;
    }
  }

  std::uint32_t stripe_mask_;
  FreeList<Message> messages_;
  std::vector<Slot> slots_;  // (power of two)
  std::size_t n_pairs_ = 0;
  std::vector<std::pair<Packet, Time>> complete_;
};

}  // namespace halcyon::network
