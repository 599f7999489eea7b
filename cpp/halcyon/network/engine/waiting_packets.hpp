#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halcyon/network/engine/free_list.hpp"
#include "halcyon/network/engine/packet.hpp"
#include "halcyon/network/engine/packet_buffer.hpp"
#include "halcyon/network/machine.hpp"

namespace halcyon::network {

/// The packets that wait for room in buffers: a queue per buffer, whose first packet the machine's
/// arbitration chooses. By arrival, a queue is a list. Otherwise it is a skew heap (Sleator and Tarjan 1986),
/// ordered by `Packet::sent`, or by the turns of the inputs: the packets of an input have successive turns,
/// from the current turn on.
class WaitingPackets {
 public:
  explicit WaitingPackets(Arbitration arbitration) : arbitration_(arbitration) {}

  /// Adds a packet to the queue of a buffer. `Packet::resource` is lost.
  /// @param output, input numbers of this buffer, and of the buffer that holds the packet; below `n_buffers`
  void add(PacketBuffer& buffer, const Packet& packet, std::size_t output, std::size_t input,
           std::size_t n_buffers) {
    const auto record = packets_.allocate_uninitialized();
    packets_[record] = packet;
    packets_[record].resource = static_cast<std::int32_t>(kNoRecord);
    if (arbitration_ == Arbitration::arrival) {
      if (buffer.queue_head == kNoRecord)
        buffer.queue_head = record;
      else
        packets_[buffer.queue_tail].resource = static_cast<std::int32_t>(record);
      buffer.queue_tail = record;
      return;
    }
    if (record >= heap_.size()) heap_.resize(2 * std::size_t{record} + 1);
    auto& node = heap_[record] = {};
    if (arbitration_ == Arbitration::round_robin) {
      auto& turn = turns_[output * n_buffers + input];
      const auto current = current_turns_[output];
      node.key = turn = std::max(turn + 1, current);
      node.tie = input;
    } else {
      node.key = static_cast<std::uint64_t>(packet.sent);
      node.tie = std::uint64_t{static_cast<std::uint32_t>(packet.source)} << 32 | packet.sequence;
    }
    buffer.queue_head = merge(buffer.queue_head, record);
  }

  const Packet& first(const PacketBuffer& buffer) const { return packets_[buffer.queue_head]; }

  void remove_first(PacketBuffer& buffer, std::size_t output) {
    const auto record = buffer.queue_head;
    if (arbitration_ == Arbitration::arrival) {
      buffer.queue_head = static_cast<std::uint32_t>(packets_[record].resource);
    } else {
      if (arbitration_ == Arbitration::round_robin) current_turns_[output] = heap_[record].key;
      buffer.queue_head = merge(heap_[record].left, heap_[record].right);
    }
    packets_.release(record);
  }

 private:
  struct Node {
    std::uint64_t key = 0, tie = 0;
    std::uint32_t left = kNoRecord, right = kNoRecord;
  };

  std::uint32_t merge(std::uint32_t a, std::uint32_t b) {
    std::uint32_t root = kNoRecord, *place = &root;
    while (a != kNoRecord && b != kNoRecord) {
      if (std::pair(heap_[b].key, heap_[b].tie) < std::pair(heap_[a].key, heap_[a].tie)) std::swap(a, b);
      *place = a;
      auto& node = heap_[a];
      a = std::exchange(node.right, node.left);  // children change sides; the old right one is merged
      place = &node.left;
    }
    *place = a == kNoRecord ? b : a;
    return root;
  }

  Arbitration arbitration_;
  FreeList<Packet> packets_;  // by arrival, `resource` is the next record of the queue
  std::vector<Node> heap_;    // (record)
  std::unordered_map<std::size_t, std::uint64_t> turns_;          // (output, input): of the last packet
  std::unordered_map<std::size_t, std::uint64_t> current_turns_;  // (output)
};

}  // namespace halcyon::network
