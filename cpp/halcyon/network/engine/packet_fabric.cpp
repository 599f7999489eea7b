#include <algorithm>
#include <deque>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"

namespace halcyon::network {
namespace {

/// The sender's state of a buffer: the sender is a link, with one buffer per virtual channel at the link's
/// end, or a NIC, with one buffer in its switch. Packets wait at the sender until a credit is available.
struct Buffer {
  std::int32_t free_slots = 0;  ///< slots that have never been used
  std::vector<Time> credits;    ///< arrival times of returned credits
  Time retry_time = kNever;     ///< time of the next retry for the waiting packets
  std::uint32_t queue_head = kNoRecord, queue_tail = kNoRecord;  ///< records of waiting packets

  /// Arrival time of the next credit; kNever if no credit is being returned.
  Time next_credit() const { return credits.empty() ? kNever : *std::ranges::min_element(credits); }

  /// Reserves the slot that becomes free first, unless that is after `latest`. @returns the time from which
  /// the slot is free, 0 for a slot that has never been used; kNever if there is no such slot
  Time reserve_slot(Time latest) {
    if (free_slots > 0) return --free_slots, 0;
    const auto earliest = std::ranges::min_element(credits);
    if (earliest == credits.end() || *earliest > latest) return kNever;
    const auto free_from = *earliest;
    *earliest = credits.back();
    credits.pop_back();
    return free_from;
  }
};

/// Packets are forwarded hop by hop in virtual cut-through, into finite buffers for each incoming link and
/// virtual channel. A packet frees its slot when its tail has left; the credit reaches the beginning of the
/// link one link latency later (credit-based flow control after Kung and Chapman 1993, SIGCOMM).
template <class R>
class PacketFabric final : public Fabric<PacketFabric<R>, R>, private InjectionControl {
  using Base = Fabric<PacketFabric<R>, R>;
  friend Base;
  using typename Base::NextHop;

 public:
  PacketFabric(SimulationState& simulation, const R& routing, int partition, int n_partitions)
      : Base(simulation, routing, partition, n_partitions, this),
        n_channels_(routing.n_channels()),
        buffer_numbers_(static_cast<std::size_t>(simulation.resources.n_links) * n_channels_ +
                            simulation.resources.n_nics,
                        kNoRecord) {
    simulation.waiting_time.resize(simulation.resources.n_links);
  }

  void enter_network(const Packet& packet, const NextHop& hop) {
    auto entered = packet;
    entered.resource = hop.resource;
    entered.channel = hop.channel;
    entered.store_route(hop.route);
    entered.previous_resource = this->simulation_.resources.injection(this->simulation_.nic(packet.source));
    if (this->simulation_.resources.is_link(hop.resource))
      cross_link(entered);
    else
      deliver_to_nic(entered);
  }

  void deliver_to_nic(const Packet& packet) { return_credit(packet, this->eject(packet, packet.resource)); }

  void cross_link(const Packet& packet) {
    if (packet.kind == PacketKind::credit) return receive_credit(packet);
    auto& buffer = this->buffer(packet.resource, packet.channel);
    if (buffer.queue_head == kNoRecord && try_cross(packet, buffer, packet.time)) return;
    if (buffer.queue_head == kNoRecord) schedule_retry(packet.resource, packet.channel, buffer);
    const auto record = waiting_packets_.allocate_uninitialized();
    waiting_packets_[record] = {packet, kNoRecord};
    (buffer.queue_head == kNoRecord ? buffer.queue_head : waiting_packets_[buffer.queue_tail].next) = record;
    buffer.queue_tail = record;
    this->simulation_.waiting_time[packet.resource] += time_on_link(packet);
  }

  /// Injects a packet from its NIC. Credits return from the switch to the NIC without delay.
  void inject(const Packet& packet) override {
    if (needs_no_buffer(packet)) return push_not_before(packet, 0);
    auto& buffer = this->buffer(packet.resource, 0);
    const auto free_from = buffer.reserve_slot(kNever - 1);  // of any credit that is being returned
    if (free_from == kNever) {
      buffer.queue_head = waiting_packets_.allocate_uninitialized();
      waiting_packets_[buffer.queue_head] = {packet, kNoRecord};
    } else {
      push_not_before(packet, free_from);
    }
  }

 private:
  struct WaitingPacket {
    Packet packet;
    std::uint32_t next = kNoRecord;
  };

  static bool needs_no_buffer(const Packet& packet) { return packet.bytes == 0 || packet.bypass; }

  Time time_on_link(const Packet& packet) const {
    return this->simulation_.link_speeds[this->simulation_.links[packet.resource].kind].transfer_time(
        packet.bytes);
  }

  Buffer& buffer(std::int32_t resource, int channel) {
    const auto& resources = this->simulation_.resources;
    const auto key = resources.is_link(resource) ? static_cast<std::size_t>(resource) * n_channels_ + channel
                                                 : static_cast<std::size_t>(resources.n_links) * n_channels_ +
                                                       resources.nic(resource);
    if (buffer_numbers_[key] == kNoRecord) {
      buffer_numbers_[key] = static_cast<std::uint32_t>(buffers_.size());
      buffers_.push_back({.free_slots = this->simulation_.machine.buffer_packets, .credits = {}});
    }
    return buffers_[buffer_numbers_[key]];
  }

  void push_not_before(const Packet& packet, Time free_from) {
    const auto when = std::max(packet.time, free_from);
    this->events_.push(packet, when, [when](Packet& later) { later.time = when; });
  }

  /// Transmits a packet over its link if a buffer slot is available. Control messages need no slot.
  bool try_cross(const Packet& packet, Buffer& buffer, Time now) {
    if (!needs_no_buffer(packet) && buffer.reserve_slot(now) == kNever) return false;
    const auto hop = this->hop_over_link(packet);
    const auto crossing = this->transmit(packet, hop, now);
    this->dispatch(packet, hop, crossing, [&packet](Packet& moved) {
      moved.previous_resource = packet.resource;
      moved.previous_channel = packet.channel;
    });
    return_credit(packet, crossing.tail_departure);
    return true;
  }

  /// Frees the buffer slot of a packet at `when`, and returns the credit to the link or NIC before it.
  void return_credit(const Packet& packet, Time when) {
    if (needs_no_buffer(packet)) return;
    const auto& simulation = this->simulation_;
    if (!simulation.resources.is_link(packet.previous_resource))
      return return_credit_to_nic(packet.previous_resource, when);
    const auto latency = simulation.link_speeds[simulation.links[packet.previous_resource].kind].latency;
    const bool has_one_partition = this->outgoing_.size() == 1;
    const int partition =
        has_one_partition
            ? 0
            : simulation.partition_of_switch(this->routing_.topology().ends(packet.previous_resource).from);
    Packet credit;
    credit.kind = PacketKind::credit;
    credit.resource = packet.previous_resource;
    credit.channel = packet.previous_channel;
    credit.time = credit.sent = when + latency;
    if (partition != this->partition_) {
      this->outgoing_[partition].push_back(credit);
      return;
    }
    auto& buffer = this->buffer(packet.previous_resource, packet.previous_channel);
    buffer.credits.push_back(credit.time);
    if (buffer.queue_head != kNoRecord)
      schedule_retry(packet.previous_resource, packet.previous_channel, buffer);
  }

  void return_credit_to_nic(std::int32_t resource, Time when) {
    auto& buffer = this->buffer(resource, 0);
    if (buffer.queue_head == kNoRecord) {
      buffer.credits.push_back(when);
      return;
    }
    const auto record = std::exchange(buffer.queue_head, kNoRecord);
    push_not_before(waiting_packets_[record].packet, when);
    waiting_packets_.release(record);
  }

  /// Pushes an event that retries the waiting packets when the next credit arrives.
  void schedule_retry(std::int32_t resource, std::uint8_t channel, Buffer& buffer) {
    const auto when = buffer.next_credit();
    if (when >= buffer.retry_time) return;
    buffer.retry_time = when;
    Packet credit;
    credit.kind = PacketKind::credit;
    credit.resource = resource;
    credit.channel = channel;
    credit.time = when;
    credit.sent = kNever;  // marks a retry
    this->events_.push(credit);
  }

  /// @param credit a returned credit or, if its `sent` is kNever, a retry
  void receive_credit(const Packet& credit) {
    auto& buffer = this->buffer(credit.resource, credit.channel);
    if (credit.sent != kNever)
      buffer.credits.push_back(credit.sent);
    else if (credit.time != buffer.retry_time)
      return;  // an earlier retry has replaced this one
    else
      buffer.retry_time = kNever;
    while (buffer.queue_head != kNoRecord) {
      const auto record = buffer.queue_head;
      if (!try_cross(waiting_packets_[record].packet, buffer, credit.time))
        return schedule_retry(credit.resource, credit.channel, buffer);
      this->simulation_.waiting_time[credit.resource] -= time_on_link(waiting_packets_[record].packet);
      buffer.queue_head = waiting_packets_[record].next;
      waiting_packets_.release(record);
    }
  }

  int n_channels_;
  std::vector<std::uint32_t> buffer_numbers_;  // (link, channel), then (NIC): index into `buffers_`
  std::deque<Buffer> buffers_;                 // created at their first use
  FreeList<WaitingPacket> waiting_packets_;
};

}  // namespace

FidelityEntry packet_fidelity() {
  return {{.name = "packet",
           .text = "packets are forwarded hop by hop, with finite buffers and credit-based flow control",
           .traits = {"threads"}},
          [](SimulationState& simulation, Result& result) {
            simulation.options.back_pressure ? run<PacketFabric>(simulation, result)
                                             : chunk_fidelity().run(simulation, result);
          }};
}

}  // namespace halcyon::network
