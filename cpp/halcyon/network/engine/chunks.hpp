#pragma once

#include <algorithm>

#include "halcyon/network/engine/fabric.hpp"
#include "halcyon/network/engine/fetch.hpp"

namespace halcyon::network {

/// Chunks hop by hop in virtual cut-through, and room for all that waits.
template <class R>
class ChunkFabric final : public Fabric<ChunkFabric<R>, R> {
  friend Fabric<ChunkFabric<R>, R>;
  using typename Fabric<ChunkFabric<R>, R>::Stand;

 public:
  using Fabric<ChunkFabric<R>, R>::Fabric;

  void enter(const Parcel& parcel, const Stand& at) {
    if (this->world_.places.is_link(at.place)) {
      cross(parcel, at);
    } else {
      this->leave(parcel, at.place);
    }
  }
  void deliver(const Parcel& parcel) { this->leave(parcel, parcel.place); }
  void cross(const Parcel& parcel) { cross(parcel, this->at_link(parcel)); }

 private:
  void cross(const Parcel& parcel, const Stand& at) {
    this->dispatch(parcel, at, this->pass(parcel, at, parcel.time), [](Parcel&) {});
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

  void enter(const Parcel& parcel, const Stand& at) {
    auto& world = this->world_;
    auto head = parcel;
    Time span = std::max(world.in.pace(parcel.bytes), world.crossbar(parcel.bytes));
    Time whole = time_of_all(world.in.pace, parcel);
    auto on = at;
    while (world.places.is_link(on.place)) {
      const auto& link = world.links[on.place];
      const auto& speed = world.speeds[link.kind];
      const bool waits = kReserve && !parcel.bypass;
      const auto takes = speed.pace(parcel.bytes);
      whole = std::max(whole, time_of_all(speed.pace, parcel));
      const auto turn = kReserve ? this->turn_before(parcel, on.place, parcel.time) : Turn{};
      const auto start = waits ? std::max({head.time, link.free, turn.begin}) : head.time;
      const auto booked = kReserve ? std::max(link.free, parcel.time) : head.time;
      this->load(on.place, parcel, kReserve ? booked + takes : 0);
      span = std::max({takes, head.time + span - start, turn.end - start});
      if (!parcel.bypass && world.history.on()) {
        world.history.add(on.place, booked - (start - head.time), booked, takes, parcel.bytes);
      }
      head.time = start + speed.latency;
      on = this->stand(parcel, on.route, on.to);
    }
    const auto nic = world.places.nic(on.place);
    if (!kReserve) {
      world.nics[nic].out_free = 0;
      whole = std::max({whole, time_of_all(world.crossbar, parcel), time_of_all(world.out.pace, parcel)});
      span = std::max(span, parcel.sent + world.in.latency + whole - parcel.time);
    }
    this->leave(head, nic, span, kReserve ? this->turn_before_target(parcel, parcel.time) : Turn{});
  }
  void deliver(const Parcel&) {}
  void cross(const Parcel&) {}

 private:
  friend Fabric<WholeFabric<R, kReserve>, R>;
  static constexpr bool kWhole = true;

  /// Of all chunks of a message, with the last one; where each books its own time, that is not asked.
  static Time time_of_all(const Pace& pace, const Parcel& parcel) {
    if (kReserve || parcel.bytes == 0 || !parcel.last) return 0;
    return pace.bounded(static_cast<std::int64_t>(parcel.message_bytes));
  }
  static constexpr std::size_t kFewLinks = std::size_t{1} << 19;  // 8 MiB, which stay in the cache

  /// Asks the memory for the links; an adaptive routing is taken for minimal.
  void fetch_way(const Parcel& parcel) const {
    if (parcel.started || this->world_.links.size() <= kFewLinks) return;
    auto route = route_of(this->world_, parcel);
    const auto& topology = this->routing_.topology();
    this->routing_.start(route, NoLoads{});
    for (Switch at = topology.switch_of(this->world_.placement.node(parcel.source)); !route.arrived(at);) {
      const Hop hop = this->routing_.next(at, route);
      fetch_lines(this->world_.links[hop.link]);
      at = hop.to;
    }
  }
};

}  // namespace halcyon::network
