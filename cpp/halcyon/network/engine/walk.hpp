#pragma once

#include <algorithm>

#include "halcyon/network/engine/world.hpp"

namespace halcyon::network {

/// The rest of a parcel's route, as routings want it.
inline Route route_of(const World& world, const Parcel& parcel) {
  const auto& placement = world.placement;
  return {.source = parcel.started ? kNone : placement.node(parcel.source),
          .target = parcel.started && parcel.legs == 0 ? kNone : placement.node(parcel.target),
          .flow = parcel.flow,
          .goal = parcel.goal,
          .choice = parcel.choice,
          .legs = parcel.legs};
}

/// Calls cross(link) for each link of a started route.
template <class R, class Cross>
void walk(const R& routing, Route route, Switch at, Cross cross) {
  while (!route.arrived(at)) {
    const Hop hop = routing.next(at, route);
    cross(hop.link);
    at = hop.to;
  }
}

/// When the last byte of a message, whose head comes to its first switch at `head`, stands in the other NIC,
/// if it meets no other: latencies, and the bytes at the pace of the slowest part of the way.
template <class R>
Time alone(const World& world, const R& routing, const Route& route, Switch at, Time head,
           std::int64_t bytes) {
  Time slowest =
      std::max({world.in.pace.bounded(bytes), world.out.pace.bounded(bytes), world.crossbar.bounded(bytes)});
  walk(routing, route, at, [&](Link link) {
    const auto& speed = world.speeds[world.links[link].kind];
    slowest = std::max(slowest, speed.pace.bounded(bytes));
    head += speed.latency;
  });
  return head + slowest + world.out.latency;
}

}  // namespace halcyon::network
