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
        seed_(seed) {}

  const Network& topology() const override { return network_; }
  Method method() const override { return method_; }
  int n_channels() const override {
    return entry_.takes_detour ? network_.n_detour_channels() : network_.n_channels();
  }
  bool spreads() const override {
    return entry_.takes_detour || (network_.has_equal_routes() && !entry_.selects_by_target);
  }
  bool reads_queues() const override { return entry_.reads_queues; }
  bool reads_remote_queues() const override { return entry_.reads_remote_queues; }
  bool adapts() const override { return entry_.adapts_up; }

  void start(Route& route, const LinkLoads& loads) const override {
    const Switch from = network_.switch_of(route.source), to = network_.switch_of(route.target);
    const std::uint64_t random = random_number(seed_, route.source, route.target, route.path_selector);
    route.path_selector =
        entry_.selects_by_target ? static_cast<std::uint32_t>(route.target) : random & 0x7fffffffu;
    route.goal = to;
    route.state = kNone;
    route.leg = Leg::direct;
    if (!entry_.takes_detour || from == to) return;
    const Via via = network_.random_via(from, to, splitmix64(random));
    if (via.number == from || via.number == to ||
        !entry_.takes_detour({.routing = *this, .loads = loads, .minimal = route, .from = from, .via = via}))
      return;
    route.goal = via.number;
    route.state = via.state;
    route.leg = Leg::first;
  }

  [[gnu::always_inline]] Hop next(Switch current, Route& route) const override {
    if (current == route.goal) {
      route.goal = network_.switch_of(route.target);
      route.state = kNone;
      route.leg = Leg::second;
    }
    Hop hop = network_.hop(current, route);
    if (route.leg != Leg::direct) hop.channel = network_.detour_channel(route.leg, hop.channel);
    return hop;
  }

  Hop adapt(Switch current, const Route& route, const Hop& hop, const LinkLoads& loads) const override {
    if constexpr (requires { network_.least_loaded(current, route, hop, loads); }) {
      if (entry_.adapts_up) return network_.least_loaded(current, route, hop, loads);
    }
    return hop;
  }

 private:
  const Network& network_;
  Method method_;
  const RoutingEntry& entry_;
  std::uint64_t seed_;
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
