#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"
#include "halcyon/network/engine/packet_buffer.hpp"
#include "halcyon/network/engine/waiting_packets.hpp"

namespace halcyon::network {
namespace {

/// An array of records of zeros, of which memory is used only where they are written. `T` needs no
/// construction and destruction.
template <class T>
class LazyArray {
 public:
  explicit LazyArray(std::size_t n) : bytes_(n * sizeof(T)) {
    if (n == 0) return;
    auto* const pages =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    records_ = static_cast<T*>(pages);
  }
  ~LazyArray() {
    if (records_) munmap(records_, bytes_);
  }
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;

  T& operator[](std::size_t i) { return records_[i]; }
  const T& operator[](std::size_t i) const { return records_[i]; }

 private:
  std::size_t bytes_;
  T* records_ = nullptr;
};

/// Packets or chunks are forwarded hop by hop in virtual cut-through, into finite buffers for each incoming
/// link and virtual channel. A packet frees its bytes when its tail has left; the credit reaches the
/// beginning of the link one link latency later (credit-based flow control after Kung and Chapman 1993,
/// SIGCOMM).
///
/// A buffer holds packets for all outgoing links at once (virtual output queues). The packets that wait for
/// one link and channel form one queue, from all inputs: the switch serves the first to arrive, or by other
/// rules (`Arbitration`). Packets for a NIC form a queue, too, unless the rule is arrival.
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
        arbitrates_ejection_(simulation.machine.arbitration != Arbitration::arrival),
        n_buffers_(static_cast<std::size_t>(simulation.resources.n_links) * n_channels_ +
                   (arbitrates_ejection_ ? 2 : 1) * std::size_t(simulation.resources.n_nics)),
        buffers_(n_buffers_),
        waiting_packets_(simulation.machine.arbitration) {}

  void enter_network(const Packet& packet, const NextHop& hop) {
    if (arbitrates_ejection_ || this->simulation_.resources.is_link(hop.resource))
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
    return sum_over_channels([&](int channel) { return queue(link, channel); });
  }
  double occupancy(Link link) const override {
    return sum_over_channels([&](int channel) { return occupancy(link, channel); });
  }
  double waiting(Link link) const override {
    return sum_over_channels([&](int channel) { return waiting(link, channel); });
  }
  double waiting(Link link, int channel) const override {
    return static_cast<double>(waiting_time(link, channel));
  }
  double queue(Link link, int channel) const override {
    const auto& simulation = this->simulation_;
    const auto& speed = simulation.link_speeds[simulation.links[link].kind];
    const auto in_flight = 2 * (speed.latency + speed.transfer_time(simulation.chunk_bytes));
    const auto waiting = waiting_time(link, channel);
    return static_cast<double>(waiting + std::max<Time>(held(link, channel) - in_flight, 0));
  }
  double occupancy(Link link, int channel) const override {
    return static_cast<double>(waiting_time(link, channel) + held(link, channel));
  }

  void deliver_to_nic(const Packet& packet) {
    if (arbitrates_ejection_) return cross_link(packet);
    return_credit(packet, buffer_before(packet), this->eject(packet, packet.resource), packet.time);
  }

  void cross_link(const Packet& packet) {
    if (packet.kind == PacketKind::credit) return receive_credit(packet);
    if (this->adapts_ && this->simulation_.resources.is_link(packet.resource)) {
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
    const auto nic = number(packet.resource, 0);
    waiting_packets_.add(this->buffer(packet.resource, 0), packet, nic, nic, n_buffers_);
  }

  void prefetch_buffers(const Packet& packet) const {
    const auto& resources = this->simulation_.resources;
    if (resources.is_link(packet.resource) || arbitrates_ejection_ || !resources.is_ejection(packet.resource))
      prefetch_for_write(buffers_[number(packet.resource, packet.channel)]);
    if (packet.previous_resource != kNone &&
        (resources.is_link(packet.previous_resource) || !resources.is_ejection(packet.previous_resource)))
      prefetch_for_write(buffers_[number(packet.previous_resource, packet.previous_channel)]);
  }
  void prefetch_waiting(const Packet& packet) const {
    if (packet.kind != PacketKind::credit) return;
    const auto& buffer = buffers_[number(packet.resource, packet.channel)];
    if (buffer.queue_head != kNoRecord) prefetch_for_write(waiting_packets_.first(buffer));
  }

 private:
  template <class Load>
  double sum_over_channels(Load load) const {
    double sum = 0;
    for (int channel = 0; channel < n_channels_; ++channel) sum += load(channel);
    return sum;
  }
  /// Transfer time of the bytes whose credits have not returned.
  Time held(Link link, int channel) const {
    const auto& buffer = buffers_[number(link, channel)];
    return buffer.is_used() ? time_on_link(link, buffer.used(credits_, now_)) : 0;
  }

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
    if (resources.is_link(resource)) return static_cast<std::size_t>(resource) * n_channels_ + channel;
    return static_cast<std::size_t>(resources.n_links) * n_channels_ + resources.nic(resource) +
           (resources.is_ejection(resource) ? resources.n_nics : 0);
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
    auto waiting = packet;
    waiting.channel = hop.channel;
    waiting.store_route(hop.route);
    waiting.previous_resource = before.resource;
    waiting.previous_channel = before.channel;
    const auto first = buffer.queue_head;
    waiting_packets_.add(buffer, waiting, number(hop.resource, hop.channel),
                         number(before.resource, before.channel), n_buffers_);
    count_waiting(hop.resource, hop.channel, packet.bytes, 1);
    if (buffer.queue_head != first) schedule_retry(hop.resource, hop.channel, buffer, packet.time);
  }

  void count_waiting(std::int32_t resource, int channel, std::int64_t bytes, int sign) {
    if (counts_waiting_ && this->simulation_.resources.is_link(resource))
      waiting_time(resource, channel) += sign * time_on_link(resource, bytes);
  }
  Time& waiting_time(Link link, int channel) const {
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
    if (arbitrates_ejection_ && !this->simulation_.resources.is_link(hop.resource))
      return arrive(packet, hop.resource, before, now);
    const auto crossing = this->transmit(packet, hop, now);
    return_credit(packet, before, crossing.tail_departure, now);
    this->dispatch(packet, hop, crossing, [&hop](Packet& moved) {
      moved.previous_resource = hop.resource;
      moved.previous_channel = hop.channel;
    });
  }

  /// Ejects a packet into a NIC, whose queue is served up to a buffer's bytes ahead.
  [[gnu::noinline]] void arrive(const Packet& packet, std::int32_t resource, Before before, Time now) {
    auto ejected = packet;
    ejected.time = now;
    ejected.span = static_cast<std::uint32_t>(std::max<Time>(packet.time + packet.span - now, 0));
    const auto end = this->eject(ejected, resource);
    if (!needs_no_buffer(packet)) buffers_[number(resource, 0)].add_credit(credits_, end, packet.bytes, now);
    return_credit(packet, before, end, now);
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
      inject_held(buffer, before.resource);
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
  void inject_held(PacketBuffer& buffer, std::int32_t nic) {
    const auto& held = waiting_packets_.first(buffer);
    const auto free_from = buffer.reserve_earliest(credits_, held.bytes, buffer_bytes_);
    if (free_from == kNever) return;
    const auto when = std::max(held.time, free_from);
    this->events_.push(held, when, [when, nic](Packet& later) {
      later.time = when;
      later.resource = nic;
    });
    waiting_packets_.remove_first(buffer, number(nic, 0));
  }

  /// Pushes an event that retries the waiting packets when the next credit arrives.
  void schedule_retry(std::int32_t resource, std::uint8_t channel, PacketBuffer& buffer, Time now) {
    const auto bytes = waiting_packets_.first(buffer).bytes;
    const auto when = std::max(buffer.earliest_room(credits_, bytes, buffer_bytes_), now);
    if (when >= buffer.retry_time) return;
    buffer.retry_time = when;
    Packet credit;
    credit.kind = PacketKind::credit;
    credit.resource = resource;
    credit.channel = channel;
    credit.time = when;
    credit.sent = kNever;  // marks a retry
    credit.is_last = false;
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
      const auto& packet = waiting_packets_.first(buffer);
      if (!try_cross(packet, hop_into(buffer, credit.resource, packet), buffer, buffer_before(packet),
                     credit.time))
        return schedule_retry(credit.resource, credit.channel, buffer, credit.time);
      count_waiting(credit.resource, credit.channel, packet.bytes, -1);
      waiting_packets_.remove_first(buffer, number(credit.resource, credit.channel));
    }
  }

  int n_channels_;
  Time now_ = 0;
  std::int64_t buffer_bytes_;  // of each channel of a link, and of a NIC, which uses one channel
  bool counts_waiting_;
  bool arbitrates_ejection_;  // whether packets queue for NICs, and are not served by arrival
  std::size_t n_buffers_;
  LazyArray<PacketBuffer> buffers_;  // (link, channel), (NIC), (ejection); set up at their first use
  FreeList<Credit> credits_;
  WaitingPackets waiting_packets_;
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
