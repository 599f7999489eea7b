#include <algorithm>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"
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
        buffer_numbers_(static_cast<std::size_t>(simulation.resources.n_links) * n_channels_ +
                            simulation.resources.n_nics,
                        kNoRecord) {}

  void enter_network(const Packet& packet, const NextHop& hop) {
    auto entered = packet;
    entered.resource = hop.resource;
    entered.channel = hop.channel;
    entered.store_route(hop.route);
    entered.previous_resource = this->simulation_.resources.injection(this->simulation_.nic(packet.source));
    if (this->simulation_.resources.is_link(hop.resource))
      cross_or_wait(entered, hop);
    else
      deliver_to_nic(entered);
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
    const auto number = buffer_numbers_[index];
    if (number == kNoRecord) return 0;
    const auto& simulation = this->simulation_;
    const auto& speed = simulation.link_speeds[simulation.links[link].kind];
    const auto held = speed.transfer_time(buffers_[number].used(credits_, now_));
    const auto in_flight = 2 * (speed.latency + speed.transfer_time(simulation.chunk_bytes));
    return static_cast<double>(simulation.waiting_time[index] + std::max<Time>(held - in_flight, 0));
  }

  void deliver_to_nic(const Packet& packet) {
    return_credit(packet, this->eject(packet, packet.resource), packet.time);
  }

  void cross_link(const Packet& packet) {
    if (packet.kind == PacketKind::credit) return receive_credit(packet);
    if (!this->adapts_) return cross_or_wait(packet, this->hop_over_link(packet));
    const auto hop = this->chosen_hop(packet);
    auto moved = packet;
    moved.resource = hop.resource;
    moved.channel = hop.channel;
    cross_or_wait(moved, hop);
  }

  /// Injects a packet from its NIC. Credits return from the switch to the NIC without delay.
  void inject(const Packet& packet) override {
    if (needs_no_buffer(packet)) return push_not_before(packet, 0);
    auto& buffer = this->buffer(packet.resource, 0);
    const auto free_from = buffer.reserve_earliest(credits_, packet.bytes, buffer_bytes_);
    if (free_from == kNever) {
      buffer.queue_head = waiting_packets_.allocate_uninitialized();
      waiting_packets_[buffer.queue_head] = {packet, kNoRecord};
    } else {
      push_not_before(packet, free_from);
    }
  }

  void prefetch_buffers(const Packet& packet) const {
    for (const auto& [resource, channel] :
         {std::pair{packet.resource, packet.channel}, {packet.previous_resource, packet.previous_channel}}) {
      if (resource == kNone || (!this->simulation_.resources.is_link(resource) &&
                                this->simulation_.resources.is_ejection(resource)))
        continue;
      const auto number = buffer_number(resource, channel);
      if (number != kNoRecord) prefetch_for_write(buffers_[number]);
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

  /// Returns the bytes of a channel's buffer: an equal part of a link's bytes, rounded up to whole packets or
  /// chunks, of which there are at least one or two.
  static std::int64_t buffer_bytes(const SimulationState& simulation, int n_channels) {
    const auto& machine = simulation.machine;
    const auto share = machine.packet_bytes * machine.buffer_packets / n_channels,
               size = simulation.chunk_bytes;
    const std::int64_t least = simulation.options.fidelity == Fidelity::packet ? 1 : 2;
    return std::max((share + size - 1) / size, least) * size;
  }

  [[gnu::always_inline]] const std::uint32_t& buffer_number(std::int32_t resource, int channel) const {
    const auto& resources = this->simulation_.resources;
    return buffer_numbers_[resources.is_link(resource)
                               ? static_cast<std::size_t>(resource) * n_channels_ + channel
                               : static_cast<std::size_t>(resources.n_links) * n_channels_ +
                                     resources.nic(resource)];
  }
  [[gnu::always_inline]] PacketBuffer& buffer(std::int32_t resource, int channel) {
    auto& number = const_cast<std::uint32_t&>(buffer_number(resource, channel));
    if (number == kNoRecord) number = buffers_.allocate();
    return buffers_[number];
  }

  void push_not_before(const Packet& packet, Time free_from) {
    const auto when = std::max(packet.time, free_from);
    this->events_.push(packet, when, [when](Packet& later) { later.time = when; });
  }

  [[gnu::always_inline]] void cross_or_wait(const Packet& packet, const NextHop& hop) {
    auto& buffer = this->buffer(packet.resource, packet.channel);
    if (buffer.queue_head != kNoRecord || !try_cross(packet, hop, buffer, packet.time)) [[unlikely]]
      wait(packet, buffer);
  }

  [[gnu::noinline]] void wait(const Packet& packet, PacketBuffer& buffer) {
    const bool is_first = buffer.queue_head == kNoRecord;
    const auto record = waiting_packets_.allocate_uninitialized();
    waiting_packets_[record] = {packet, kNoRecord};
    (is_first ? buffer.queue_head : waiting_packets_[buffer.queue_tail].next) = record;
    buffer.queue_tail = record;
    count_waiting(packet, time_on_link(packet));
    if (is_first) schedule_retry(packet.resource, packet.channel, buffer, packet.time);
  }

  void count_waiting(const Packet& packet, Time time) {
    if (counts_waiting_)
      this->simulation_
          .waiting_time[static_cast<std::size_t>(packet.resource) * n_channels_ + packet.channel] += time;
  }

  /// Transmits a packet over its link if its buffer has room. Control messages need no room.
  [[gnu::always_inline]] bool try_cross(const Packet& packet, const NextHop& hop, PacketBuffer& buffer,
                                        Time now) {
    if (!needs_no_buffer(packet) && !buffer.try_reserve(credits_, packet.bytes, buffer_bytes_, now))
      return false;
    const auto crossing = this->transmit(packet, hop, now);
    this->dispatch(packet, hop, crossing, [&packet](Packet& moved) {
      moved.previous_resource = packet.resource;
      moved.previous_channel = packet.channel;
    });
    return_credit(packet, crossing.tail_departure, now);
    return true;
  }

  /// Frees the room of a packet at `when`, and returns the credit to the link or NIC before it.
  [[gnu::always_inline]] void return_credit(const Packet& packet, Time when, Time now) {
    if (needs_no_buffer(packet)) return;
    const auto& simulation = this->simulation_;
    if (!simulation.resources.is_link(packet.previous_resource))
      return return_credit_to_nic(packet, when, now);
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
    credit.bytes = packet.bytes;
    credit.time = credit.sent = when + latency;
    if (partition != this->partition_) {
      this->outgoing_[partition].push_back(credit);
      return;
    }
    auto& buffer = this->buffer(packet.previous_resource, packet.previous_channel);
    buffer.add_credit(credits_, credit.time, packet.bytes, now);
    if (buffer.queue_head != kNoRecord)
      schedule_retry(packet.previous_resource, packet.previous_channel, buffer, now);
  }

  void return_credit_to_nic(const Packet& packet, Time when, Time now) {
    auto& buffer = this->buffer(packet.previous_resource, 0);
    buffer.add_credit(credits_, when, packet.bytes, now);
    if (buffer.queue_head == kNoRecord) return;
    const auto& waiting = waiting_packets_[buffer.queue_head].packet;
    const auto free_from = buffer.reserve_earliest(credits_, waiting.bytes, buffer_bytes_);
    if (free_from == kNever) return;
    push_not_before(waiting, free_from);
    waiting_packets_.release(std::exchange(buffer.queue_head, kNoRecord));
  }

  /// Pushes an event that retries the waiting packets when the next credit arrives.
  void schedule_retry(std::int32_t resource, std::uint8_t channel, PacketBuffer& buffer, Time now) {
    const auto bytes = waiting_packets_[buffer.queue_head].packet.bytes;
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
      const auto& packet = waiting_packets_[record].packet;
      if (!try_cross(packet, this->hop_over_link(packet), buffer, credit.time))
        return schedule_retry(credit.resource, credit.channel, buffer, credit.time);
      count_waiting(packet, -time_on_link(packet));
      buffer.queue_head = waiting_packets_[record].next;
      waiting_packets_.release(record);
    }
  }

  int n_channels_;
  Time now_ = 0;
  std::int64_t buffer_bytes_;  // of each channel of a link, and of a NIC, which uses one channel
  bool counts_waiting_;
  std::vector<std::uint32_t> buffer_numbers_;  // (link, channel), then (NIC): index into `buffers_`
  FreeList<PacketBuffer> buffers_;             // created at their first use
  FreeList<Credit> credits_;
  FreeList<WaitingPacket> waiting_packets_;
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
