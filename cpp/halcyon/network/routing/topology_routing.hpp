#pragma once

#include <concepts>
#include <type_traits>

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topologies.hpp"

namespace halcyon::network {

/// Any routing method on one type of topology. The methods differ only in `start`, so that the engine needs
/// one instantiation per topology, not per method.
template <class Network>
class TopologyRouting final : public Routing {
 public:
  /// @param network must outlive the routing
  TopologyRouting(const Network& network, Method method, std::uint64_t seed)
      : network_(network),
        method_(method),
        entry_(routings()[static_cast<std::size_t>(method)]),
        seed_(seed),
        leg_channels_(network.n_channels()) {}

  const Network& topology() const override { return network_; }
  Method method() const override { return method_; }
  int n_channels() const override { return leg_channels_ * (entry_.takes_detour ? 2 : 1); }

  void start(Route& route, const LinkLoads& loads) const override {
    const Switch from = network_.switch_of(route.source), to = network_.switch_of(route.target);
    const std::uint64_t random = random_number(seed_, route.source, route.target, route.path_selector);
    route.path_selector =
        entry_.selects_by_target ? static_cast<std::uint32_t>(route.target) : random & 0x7fffffffu;
    route.goal = to;
    route.state = kNone;
    route.legs = 0;
    if (!entry_.takes_detour || from == to) return;
    const Switch intermediate =
        network_.edge_switch(random_below(splitmix64(random), network_.n_edge_switches()));
    if (intermediate == from || intermediate == to ||
        !entry_.takes_detour(
            {.routing = *this, .loads = loads, .minimal = route, .from = from, .intermediate = intermediate}))
      return;
    route.goal = intermediate;
    route.legs = 1;
  }

  [[gnu::always_inline]] Hop next(Switch current, Route& route) const override {
    if (current == route.goal) {
      route.goal = network_.switch_of(route.target);
      route.state = kNone;
      route.legs = 0;
    }
    Hop hop = network_.hop(current, route);
    hop.channel = static_cast<std::uint8_t>(hop.channel + route.legs * leg_channels_);
    return hop;
  }

 private:
  const Network& network_;
  Method method_;
  const RoutingEntry& entry_;
  std::uint64_t seed_;
  int leg_channels_;  // virtual channels per leg; the two legs of a detour use different channels
};

/// Calls use(std::type_identity<Network>) for the topologies of the list until one call returns true.
template <class... Types, class Use>
bool any_topology(TypeList<Types...>, Use use) {
  const auto matches = [&]<class Network>(std::type_identity<Network> type) {
    if constexpr (std::derived_from<Network, Topology>)
      return use(type);
    else
      return false;
  };
  return (matches(std::type_identity<Types>{}) || ...);
}

/// Calls `use` with the routing as its concrete class, to avoid virtual calls.
template <class Use>
void with_concrete_routing(const Routing& routing, Use&& use) {
  const bool is_known = any_topology(Topologies{}, [&]<class Network>(std::type_identity<Network>) {
    const auto* concrete = dynamic_cast<const TopologyRouting<Network>*>(&routing);
    if (concrete) use(*concrete);
    return concrete != nullptr;
  });
  if (!is_known) use(routing);
}

}  // namespace halcyon::network
