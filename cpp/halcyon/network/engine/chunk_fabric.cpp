#include <algorithm>

#include "halcyon/network/engine/fabric.hpp"

namespace halcyon::network {
namespace {

/// Packets or chunks are forwarded hop by hop in virtual cut-through, with unlimited buffers.
template <class R>
class ChunkFabric final : public Fabric<ChunkFabric<R>, R> {
  friend Fabric<ChunkFabric<R>, R>;
  using typename Fabric<ChunkFabric<R>, R>::NextHop;

 public:
  using Fabric<ChunkFabric<R>, R>::Fabric;

  void enter_network(const Packet& packet, const NextHop& hop) {
    if (this->simulation_.resources.is_link(hop.resource)) {
      cross_link(packet, hop);
    } else {
      this->eject(packet, hop.resource);
    }
  }
  void deliver_to_nic(const Packet& packet) { this->eject(packet, packet.resource); }
  void cross_link(const Packet& packet) { cross_link(packet, this->chosen_hop(packet)); }

 private:
  void cross_link(const Packet& packet, const NextHop& hop) {
    this->dispatch(packet, hop, this->transmit(packet, hop, packet.time), [](Packet&) {});
  }
};

/// A message traverses its whole path in one event, when it is injected. With kReserve, it then reserves the
/// next free interval of each link, even if the message arrives at the link later, so that the link is not
/// idle until then. Without kReserve, messages do not contend.
template <class R, bool kReserve>
class EndToEndFabric final : public Fabric<EndToEndFabric<R, kReserve>, R> {
  using typename Fabric<EndToEndFabric<R, kReserve>, R>::NextHop;

 public:
  using Fabric<EndToEndFabric<R, kReserve>, R>::Fabric;

  void enter_network(const Packet& packet, const NextHop& hop) {
    auto& simulation = this->simulation_;
    auto moved = packet;  // its `time`: arrival of the head at the current link
    // span: time from the head to the tail at the current link; message_time: longest `whole_message_time`
    Time span = std::max(simulation.injection.transfer_time(packet.bytes), simulation.crossbar(packet.bytes));
    Time message_time = whole_message_time(simulation.injection.transfer_time, packet);
    auto next = hop;
    while (simulation.resources.is_link(next.resource)) {
      const auto& link = simulation.links[next.resource];
      const auto& speed = simulation.link_speeds[link.kind];
      const bool contends = kReserve && !packet.bypass;
      const auto duration = speed.transfer_time(packet.bytes);
      message_time = std::max(message_time, whole_message_time(speed.transfer_time, packet));
      const auto slot =
          kReserve ? this->reserve_crossbar_before(packet, next.resource, packet.time) : CrossbarSlot{};
      const auto start = contends ? std::max({moved.time, link.free_at, slot.begin}) : moved.time;
      const auto reserved_from = kReserve ? std::max(link.free_at, packet.time) : moved.time;
      this->occupy(next.resource, packet, kReserve ? reserved_from + duration : 0);  // 0: stays free
      span = std::max({duration, moved.time + span - start, slot.end - start});
      if (!packet.bypass && simulation.history.is_enabled()) {
        const auto queueing_delay = start - moved.time;
        simulation.history.add(next.resource, reserved_from - queueing_delay, reserved_from, duration,
                               packet.bytes);
      }
      moved.time = start + speed.latency;
      next = this->next_hop(packet, next.route, next.to);
    }
    const auto nic = simulation.resources.nic(next.resource);
    if (!kReserve) {
      simulation.nics[nic].ejection_free = 0;  // no contention for the target's NIC either
      if (!simulation.gaps.empty()) simulation.gaps[nic].ejection = 0;
      message_time = std::max({message_time, whole_message_time(simulation.crossbar, packet),
                               whole_message_time(simulation.ejection.transfer_time, packet)});
      span = std::max(span, packet.sent + simulation.injection.latency + message_time - packet.time);
    }
    this->eject_into_nic(moved, nic, span,
                         kReserve ? this->reserve_target_crossbar(packet, packet.time) : CrossbarSlot{});
  }
  void deliver_to_nic(const Packet&) {}
  void cross_link(const Packet&) {}

 private:
  friend Fabric<EndToEndFabric<R, kReserve>, R>;
  static constexpr bool kEndToEnd = true;

  /// Returns the transfer time of the packet's message or stripe if the packet is its last chunk, else 0.
  /// Returns 0 also with kReserve, where each chunk reserves its transfer time.
  Time whole_message_time(const TransferTime& transfer_time, const Packet& packet) const {
    if (kReserve || packet.bytes == 0 || !packet.is_last) return 0;
    return transfer_time.bounded(this->simulation_.stripe_bytes(packet));
  }
  static constexpr std::size_t kCachedLinks = std::size_t{1} << 19;  // 8 MiB of links, which fit into a cache

  /// Prefetches the links of the route, or of the minimal route if the routing is adaptive.
  void prefetch_route(const Packet& packet) const {
    if (packet.is_routed || this->simulation_.links.size() <= kCachedLinks) return;
    auto route = this->simulation_.route(packet);
    const auto& topology = this->routing_.topology();
    this->routing_.start(route, NoLinkLoads{});
    for (Switch current = topology.switch_of(this->simulation_.source_end(packet));
         !route.has_arrived(current);) {
      const Hop hop = this->routing_.next(current, route);
      prefetch_for_write(this->simulation_.links[hop.link]);
      current = hop.to;
    }
  }
};

template <class R>
using ReserveFabric = EndToEndFabric<R, true>;
template <class R>
using AnalyticFabric = EndToEndFabric<R, false>;

}  // namespace

void simulate_without_back_pressure(SimulationState& simulation, Result& result) {
  run<ChunkFabric>(simulation, result);
}

FidelityEntry reserve_fidelity() {
  return {{.name = "reserve", .text = "a message reserves its whole path when it is injected"},
          run<ReserveFabric>};
}

FidelityEntry analytic_fidelity() {
  return {{.name = "analytic", .text = "messages do not contend in the network (latency and bandwidth only)"},
          run<AnalyticFabric>};
}

}  // namespace halcyon::network
