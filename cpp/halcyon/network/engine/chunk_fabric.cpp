#include <algorithm>

#include "halcyon/network/engine/fabric.hpp"

namespace halcyon::network {
namespace {

/// Chunks hop by hop in virtual cut-through, and room for all that waits.
template <class R>
class ChunkFabric final : public Fabric<ChunkFabric<R>, R> {
  friend Fabric<ChunkFabric<R>, R>;
  using typename Fabric<ChunkFabric<R>, R>::Stand;

 public:
  using Fabric<ChunkFabric<R>, R>::Fabric;

  void enter(const Packet& packet, const Stand& at) {
    if (this->world_.places.is_link(at.place)) {
      cross(packet, at);
    } else {
      this->leave(packet, at.place);
    }
  }
  void deliver(const Packet& packet) { this->leave(packet, packet.place); }
  void cross(const Packet& packet) { cross(packet, this->at_link(packet)); }

 private:
  void cross(const Packet& packet, const Stand& at) {
    this->dispatch(packet, at, this->pass(packet, at, packet.time), [](Packet&) {});
  }
};

/// Messages that take their whole way when they are injected: with kReserve the next time of each link that
/// has not been given away yet, even where it passes before they come, so that no link stands idle for those
/// who booked it ahead; else as if nobody else were there.
template <class R, bool kReserve>
class WholeFabric final : public Fabric<WholeFabric<R, kReserve>, R> {
  using typename Fabric<WholeFabric<R, kReserve>, R>::Stand;

 public:
  using Fabric<WholeFabric<R, kReserve>, R>::Fabric;

  void enter(const Packet& packet, const Stand& at) {
    auto& world = this->world_;
    auto head = packet;
    Time span = std::max(world.in.pace(packet.bytes), world.crossbar(packet.bytes));
    Time whole = time_of_all(world.in.pace, packet);
    auto on = at;
    while (world.places.is_link(on.place)) {
      const auto& link = world.links[on.place];
      const auto& speed = world.speeds[link.kind];
      const bool waits = kReserve && !packet.bypass;
      const auto takes = speed.pace(packet.bytes);
      whole = std::max(whole, time_of_all(speed.pace, packet));
      const auto turn = kReserve ? this->turn_before(packet, on.place, packet.time) : Turn{};
      const auto start = waits ? std::max({head.time, link.free, turn.begin}) : head.time;
      const auto booked = kReserve ? std::max(link.free, packet.time) : head.time;
      this->load(on.place, packet, kReserve ? booked + takes : 0);
      span = std::max({takes, head.time + span - start, turn.end - start});
      if (!packet.bypass && world.history.on()) {
        world.history.add(on.place, booked - (start - head.time), booked, takes, packet.bytes);
      }
      head.time = start + speed.latency;
      on = this->stand(packet, on.route, on.to);
    }
    const auto nic = world.places.nic(on.place);
    if (!kReserve) {
      world.nics[nic].out_free = 0;
      whole = std::max({whole, time_of_all(world.crossbar, packet), time_of_all(world.out.pace, packet)});
      span = std::max(span, packet.sent + world.in.latency + whole - packet.time);
    }
    this->leave(head, nic, span, kReserve ? this->turn_before_target(packet, packet.time) : Turn{});
  }
  void deliver(const Packet&) {}
  void cross(const Packet&) {}

 private:
  friend Fabric<WholeFabric<R, kReserve>, R>;
  static constexpr bool kWhole = true;

  /// Of all chunks of a message, with the last one; where each books its own time, that is not asked.
  static Time time_of_all(const Pace& pace, const Packet& packet) {
    if (kReserve || packet.bytes == 0 || !packet.last) return 0;
    return pace.bounded(static_cast<std::int64_t>(packet.message_bytes));
  }
  static constexpr std::size_t kFewLinks = std::size_t{1} << 19;  // 8 MiB, which stay in the cache

  /// Prefetches the links; an adaptive routing is taken for minimal.
  void prefetch_way(const Packet& packet) const {
    if (packet.started || this->world_.links.size() <= kFewLinks) return;
    auto route = this->world_.route(packet);
    const auto& topology = this->routing_.topology();
    this->routing_.start(route, NoLoads{});
    for (Switch at = topology.switch_of(this->world_.placement.node(packet.source)); !route.arrived(at);) {
      const Hop hop = this->routing_.next(at, route);
      prefetch_lines(this->world_.links[hop.link]);
      at = hop.to;
    }
  }
};

template <class R>
using ReserveFabric = WholeFabric<R, true>;
template <class R>
using AnalyticFabric = WholeFabric<R, false>;

}  // namespace

FidelityEntry chunk_fidelity() {
  return {{.name = "chunk",
           .text = "messages cut into chunks go hop by hop, and buffers have no end",
           .goes_with = {"threads"}},
          run<ChunkFabric>};
}

FidelityEntry reserve_fidelity() {
  return {{.name = "reserve", .text = "a message takes its whole way at once"}, run<ReserveFabric>};
}

FidelityEntry analytic_fidelity() {
  return {{.name = "analytic", .text = "messages do not wait for each other in the network"},
          run<AnalyticFabric>};
}

}  // namespace halcyon::network
