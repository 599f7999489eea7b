#include <algorithm>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"
#include "halcyon/network/engine/lazy_array.hpp"
#include "halcyon/network/engine/packet_buffer.hpp"

namespace halcyon::network {
namespace {

/// Packets or chunks are forwarded hop by hop in virtual cut-through, into finite buffers for each incoming
/// link and virtual channel. A packet frees its bytes when its tail has left; the credit reaches the
/// beginning of the link one link latency later (credit-based flow control after Kung and Chapman 1993,
/// SIGCOMM).
///
/// A buffer holds packets for all outgoing links at once (virtual output queues). The packets that wait for
/// one link and channel form one queue, in the order in which they reached the switch, from all inputs: the
/// switch serves the oldest first.
template <class R>
class PacketFabric final : public Fabric<PacketFabric<R>, R>, private InjectionControl, private LinkLoads {
  using Base = Fabric<PacketFabric<R>, R>;
  friend Base;
  using typename Base::NextHop;

 public:
  PacketFabric(SimulationState& simulation, const R& routing, int partition, int n_partitions)
      : Base(simulation, routing, partition, n_partitions, this),
        n_channels_(routing.n_channels()),
        buffer_bytes_(buffer_bytes(simulation, n_channels_)),
        counts_waiting_(!simulation.waiting_time.empty()),
        buffers_(static_cast<std::size_t>(simulation.resources.n_links) * n_channels_ +
                 simulation.resources.n_nics) {}

  void enter_network(const Packet& packet, const NextHop& hop) {
    if (this->simulation_.resources.is_link(hop.resource))
      return cross_or_wait(packet, hop, buffer(hop.resource, hop.channel), buffer_of_nic(packet));
    return_credit(packet, buffer_of_nic(packet), this->eject(packet, hop.resource), packet.time);
  }

  /// The queues at time `now`, as transfer time [ps]: bytes that wait for room at the end of the link, and
  /// bytes whose credits have not returned (Kim et al. 2008, section 4.3) beyond those of a busy link without
  /// a queue: two packets or chunks, and a round trip of the link.
  const LinkLoads& loads(Time now) {
    now_ = now;
    return *this;
  }
  double queue(Link link) const override {
    double sum = 0;
    for (int channel = 0; channel < n_channels_; ++channel) sum += queue(link, channel);
    return sum;
  }
  double queue(Link link, int channel) const override {
    const auto index = static_cast<std::size_t>(link) * n_channels_ + channel;
    if (!buffers_[index].is_used()) return 0;
    const auto& simulation = this->simulation_;
    const auto& speed = simulation.link_speeds[simulation.links[link].kind];
    const auto held = speed.transfer_time(buffers_[index].used(credits_, now_));
    const auto in_flight = 2 * (speed.latency + speed.transfer_time(simulation.chunk_bytes));
    return static_cast<double>(simulation.waiting_time[index] + std::max<Time>(held - in_flight, 0));
  }

  void deliver_to_nic(const Packet& packet) {
    return_credit(packet, buffer_before(packet), this->eject(packet, packet.resource), packet.time);
  }

  void cross_link(const Packet& packet) {
    if (packet.kind == PacketKind::credit) return receive_credit(packet);
    if (this->adapts_) {
      const auto hop = this->chosen_hop(packet);
      return cross_or_wait(packet, hop, buffer(hop.resource, hop.channel), buffer_before(packet));
    }
    auto& buffer = this->buffer(packet.resource, packet.channel);
    cross_or_wait(packet, hop_into(buffer, packet.resource, packet), buffer, buffer_before(packet));
  }

  /// Reserves room for a packet in the switch of its NIC. Credits return from there without delay.
  Time reserve(const Packet& packet, std::uint32_t bytes, Time time) override {
    if (bytes == 0 || packet.bypass) return time;
    auto& buffer = this->buffer(packet.resource, 0);
    if (buffer.try_reserve(credits_, bytes, buffer_bytes_, time)) return time;
    const auto free_from = buffer.reserve_earliest(credits_, bytes, buffer_bytes_);
    return free_from == kNever ? kNever : std::max(free_from, time);
  }
  void hold(const Packet& packet) override {
    auto& buffer = this->buffer(packet.resource, 0);
    buffer.queue_head = waiting_packets_.allocate_uninitialized();
    waiting_packets_[buffer.queue_head] = packet;
  }

  void prefetch_buffers(const Packet& packet) const {
    const auto& resources = this->simulation_.resources;
    if (resources.is_link(packet.resource) || !resources.is_ejection(packet.resource))
      prefetch_for_write(buffers_[number(packet.resource, packet.channel)]);
    if (packet.previous_resource != kNone &&
        (resources.is_link(packet.previous_resource) || !resources.is_ejection(packet.previous_resource)))
      prefetch_for_write(buffers_[number(packet.previous_resource, packet.previous_channel)]);
  }
  void prefetch_waiting(const Packet& packet) const {
    if (packet.kind != PacketKind::credit) return;
    const auto head = buffers_[number(packet.resource, packet.channel)].queue_head;
    if (head != kNoRecord) prefetch_for_write(waiting_packets_[head]);
  }

 private:
  static bool needs_no_buffer(const Packet& packet) { return packet.bytes == 0 || packet.bypass; }

  Time time_on_link(Link link, std::int64_t bytes) const {
    return this->simulation_.link_speeds[this->simulation_.links[link].kind].transfer_time(bytes);
  }

  /// Returns the bytes of a channel's buffer: an equal part of a link's bytes, rounded up to whole packets or
  /// chunks, of which there are at least one or two.
  static std::int64_t buffer_bytes(const SimulationState& simulation, int n_channels) {
    const auto& machine = simulation.machine;
    const auto share = machine.packet_bytes * machine.buffer_packets / n_channels,
               size = simulation.chunk_bytes;
    const std::int64_t least = simulation.options.fidelity == Fidelity::packet ? 1 : 2;
    return std::max((share + size - 1) / size, least) * size;
  }

  [[gnu::always_inline]] std::size_t number(std::int32_t resource, int channel) const {
    const auto& resources = this->simulation_.resources;
    return resources.is_link(resource)
               ? static_cast<std::size_t>(resource) * n_channels_ + channel
               : static_cast<std::size_t>(resources.n_links) * n_channels_ + resources.nic(resource);
  }
  [[gnu::always_inline]] PacketBuffer& buffer(std::int32_t resource, int channel) {
    auto& buffer = buffers_[number(resource, channel)];
    if (!buffer.is_used()) [[unlikely]]
      set_up(buffer, resource);
    return buffer;
  }
  [[gnu::noinline]] void set_up(PacketBuffer& buffer, std::int32_t resource) {
    const auto& simulation = this->simulation_;
    const bool is_link = simulation.resources.is_link(resource);
    buffer = PacketBuffer(is_link ? this->routing_.topology().ends(resource).to : kNone,
                          is_link ? simulation.link_speeds[simulation.links[resource].kind].latency : 0);
  }

  /// The buffer that holds a packet, and its link or NIC.
  struct Before {
    std::int32_t resource;
    std::uint8_t channel;
  };
  static Before buffer_before(const Packet& packet) {
    return {packet.previous_resource, packet.previous_channel};
  }
  /// The same for a packet at its first switch.
  static Before buffer_of_nic(const Packet& packet) { return {packet.resource, 0}; }

  /// The hop of a packet over the link before the buffer.
  [[gnu::always_inline]] NextHop hop_into(const PacketBuffer& buffer, Link link, const Packet& packet) const {
    return {.route = this->simulation_.route(packet),
            .resource = link,
            .channel = packet.channel,
            .to = buffer.to};
  }

  [[gnu::always_inline]] void cross_or_wait(const Packet& packet, const NextHop& hop, PacketBuffer& buffer,
                                            Before before) {
    if (packet.bypass) [[unlikely]]
      return cross(packet, hop, before, packet.time);
    if (buffer.queue_head != kNoRecord || !try_cross(packet, hop, buffer, before, packet.time)) [[unlikely]]
      wait(packet, hop, buffer, before);
  }

  [[gnu::noinline]] void wait(const Packet& packet, const NextHop& hop, PacketBuffer& buffer, Before before) {
    const bool is_first = buffer.queue_head == kNoRecord;
    const auto record = waiting_packets_.allocate_uninitialized();
    auto& waiting = waiting_packets_[record] = packet;
    waiting.resource = static_cast<std::int32_t>(kNoRecord);
    waiting.channel = hop.channel;
    waiting.store_route(hop.route);
    waiting.previous_resource = before.resource;
    waiting.previous_channel = before.channel;
    if (is_first)
      buffer.queue_head = record;
    else
      waiting_packets_[buffer.queue_tail].resource = static_cast<std::int32_t>(record);
    buffer.queue_tail = record;
    if (counts_waiting_) waiting_time(hop.resource, hop.channel) += time_on_link(hop.resource, packet.bytes);
    if (is_first) schedule_retry(hop.resource, hop.channel, buffer, packet.time);
  }

  Time& waiting_time(Link link, int channel) {
    return this->simulation_.waiting_time[static_cast<std::size_t>(link) * n_channels_ + channel];
  }

  /// Transmits a packet over its link if its buffer has room. Control messages need no room.
  [[gnu::always_inline]] bool try_cross(const Packet& packet, const NextHop& hop, PacketBuffer& buffer,
                                        Before before, Time now) {
    if (packet.bytes > 0 && !buffer.try_reserve(credits_, packet.bytes, buffer_bytes_, now)) return false;
    cross(packet, hop, before, now);
    return true;
  }
  [[gnu::always_inline]] void cross(const Packet& packet, const NextHop& hop, Before before, Time now) {
    const auto crossing = this->transmit(packet, hop, now);
    return_credit(packet, before, crossing.tail_departure, now);
    this->dispatch(packet, hop, crossing, [&hop](Packet& moved) {
      moved.previous_resource = hop.resource;
      moved.previous_channel = hop.channel;
    });
  }

  /// Frees the room of a packet at `when`, and returns the credit to the link or NIC before it.
  [[gnu::always_inline]] void return_credit(const Packet& packet, Before before, Time when, Time now) {
    if (needs_no_buffer(packet)) return;
    const bool is_link = this->simulation_.resources.is_link(before.resource);
    if (is_link && this->outgoing_.size() > 1 && send_credit(packet, before, when)) return;
    auto& buffer = buffers_[number(before.resource, before.channel)];
    buffer.add_credit(credits_, when + buffer.latency, packet.bytes, now);
    if (buffer.queue_head == kNoRecord) [[likely]]
      return;
    if (is_link)
      schedule_retry(before.resource, before.channel, buffer, now);
    else
      inject_held(buffer);
  }

  /// Sends a credit to the partition of the link before the packet. Returns false if it is this one.
  [[gnu::noinline]] bool send_credit(const Packet& packet, Before before, Time when) {
    const auto& simulation = this->simulation_;
    const auto partition =
        simulation.partition_of_switch(this->routing_.topology().ends(before.resource).from);
    if (partition == this->partition_) return false;
    auto& credit = this->outgoing_[partition].emplace_back();
    credit.kind = PacketKind::credit;
    credit.resource = before.resource;
    credit.channel = before.channel;
    credit.bytes = packet.bytes;
    credit.time = credit.sent = when + simulation.link_speeds[simulation.links[before.resource].kind].latency;
    return true;
  }

  /// Injects the packet that a NIC holds, from the time on when the known credits free its room.
  void inject_held(PacketBuffer& buffer) {
    const auto& held = waiting_packets_[buffer.queue_head];
    const auto free_from = buffer.reserve_earliest(credits_, held.bytes, buffer_bytes_);
    if (free_from == kNever) return;
    const auto when = std::max(held.time, free_from);
    this->events_.push(held, when, [when](Packet& later) { later.time = when; });
    waiting_packets_.release(std::exchange(buffer.queue_head, kNoRecord));
  }

  /// Pushes an event that retries the waiting packets when the next credit arrives.
  void schedule_retry(std::int32_t resource, std::uint8_t channel, PacketBuffer& buffer, Time now) {
    const auto bytes = waiting_packets_[buffer.queue_head].bytes;
    const auto when = std::max(buffer.earliest_room(credits_, bytes, buffer_bytes_), now);
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
      buffer.add_credit(credits_, credit.sent, credit.bytes, credit.time);
    else if (credit.time != buffer.retry_time)
      return;  // an earlier retry has replaced this one
    else
      buffer.retry_time = kNever;
    while (buffer.queue_head != kNoRecord) {
      const auto record = buffer.queue_head;
      const auto& packet = waiting_packets_[record];
      if (!try_cross(packet, hop_into(buffer, credit.resource, packet), buffer, buffer_before(packet),
                     credit.time))
        return schedule_retry(credit.resource, credit.channel, buffer, credit.time);
      if (counts_waiting_)
        waiting_time(credit.resource, credit.channel) -= time_on_link(credit.resource, packet.bytes);
      buffer.queue_head = static_cast<std::uint32_t>(packet.resource);
      waiting_packets_.release(record);
    }
  }

  int n_channels_;
  Time now_ = 0;
  std::int64_t buffer_bytes_;  // of each channel of a link, and of a NIC, which uses one channel
  bool counts_waiting_;
  LazyArray<PacketBuffer> buffers_;  // (link, channel), then (NIC); set up at their first use
  FreeList<Credit> credits_;
  /// `resource`, which is known, is the next record of the queue.
  FreeList<Packet> waiting_packets_;
};

void simulate_with_buffers(SimulationState& simulation, Result& result) {
  if (!simulation.options.back_pressure) return simulate_without_back_pressure(simulation, result);
  if (simulation.routing.reads_queues())
    simulation.waiting_time.resize(static_cast<std::size_t>(simulation.resources.n_links) *
                                   simulation.routing.n_channels());
  run<PacketFabric>(simulation, result);
}

}  // namespace

FidelityEntry packet_fidelity() {
  return {{.name = "packet",
           .text = "packets are forwarded hop by hop, with finite buffers and credit-based flow control",
           .traits = {"threads"}},
          simulate_with_buffers};
}

FidelityEntry chunk_fidelity() {
  return {{.name = "chunk",
           .text = "messages are cut into chunks, which are forwarded like packets",
           .traits = {"threads"}},
          simulate_with_buffers};
}

}  // namespace halcyon::network
