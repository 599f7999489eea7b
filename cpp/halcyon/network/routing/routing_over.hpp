#pragma once

#include "halcyon/network/routing/chance.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/dragonfly.hpp"
#include "halcyon/network/topology/fat_tree.hpp"
#include "halcyon/network/topology/graph.hpp"
#include "halcyon/network/topology/hyperx.hpp"
#include "halcyon/network/topology/torus.hpp"

namespace halcyon::network {

/// Any method on one type of network. Methods differ in `start` alone, so that an engine made for this class
/// is made once a type of network.
template <class Network>
class RoutingOver final : public Routing {
 public:
  /// @param network must outlive the routing
  RoutingOver(const Network& network, Method method, std::uint64_t seed)
      : network_(network), method_(method), seed_(seed), leg_channels_(network.n_channels()) {}

  const Network& topology() const override { return network_; }
  Method method() const override { return method_; }
  int n_channels() const override { return leg_channels_ * (takes_detours() ? 2 : 1); }

  void start(Route& route, const Loads& loads) const override {
    const Switch from = network_.switch_of(route.source), to = network_.switch_of(route.target);
    const std::uint64_t random = chance(seed_, route.source, route.target, route.flow);
    route.flow = method_ == Method::d_mod_k ? static_cast<std::uint32_t>(route.target) : random & 0x7fffffffu;
    route.goal = to;
    route.choice = kNone;
    route.legs = 0;
    if (!takes_detours() || from == to) return;
    const Switch middle = network_.edge_switch(drawn(mixed(random), network_.n_edge_switches()));
    if (middle == from || middle == to || !prefers(from, middle, route, loads)) return;
    route.goal = middle;
    route.legs = 1;
  }

  [[gnu::always_inline]] Hop next(Switch at, Route& route) const override {
    if (at == route.goal) {
      route.goal = network_.switch_of(route.target);
      route.choice = kNone;
      route.legs = 0;
    }
    Hop hop = network_.hop(at, route);
    hop.channel = static_cast<std::uint8_t>(hop.channel + route.legs * leg_channels_);
    return hop;
  }

 private:
  bool takes_detours() const {
    return method_ == Method::valiant || method_ == Method::ugal || method_ == Method::ugal_of_sstmacro;
  }

  // Whether to go by way of `middle`, when `minimal` is the direct route.
  bool prefers(Switch from, Switch middle, const Route& minimal, const Loads& loads) const {
    if (method_ == Method::valiant) return true;
    Route straight = minimal, detour = minimal;
    detour.goal = middle;
    const Switch to = minimal.goal, first_goal = method_ == Method::ugal ? middle : to;
    const int direct_links = network_.distance(from, to);
    const int detour_links = network_.distance(from, first_goal) + network_.distance(middle, to);
    return loads.queue(network_.hop(from, straight).link) * direct_links >
           loads.queue(network_.hop(from, detour).link) * detour_links;
  }

  const Network& network_;
  Method method_;
  std::uint64_t seed_;
  int leg_channels_;
};

/// Calls `use` with the routing as the class that it is, so that calls of it are no virtual ones.
template <class Use>
decltype(auto) with_concrete(const Routing& routing, Use&& use) {
  if (const auto* torus = dynamic_cast<const RoutingOver<Torus>*>(&routing)) return use(*torus);
  if (const auto* hyperx = dynamic_cast<const RoutingOver<HyperX>*>(&routing)) return use(*hyperx);
  if (const auto* tree = dynamic_cast<const RoutingOver<FatTree>*>(&routing)) return use(*tree);
  if (const auto* dragonfly = dynamic_cast<const RoutingOver<Dragonfly>*>(&routing)) return use(*dragonfly);
  if (const auto* graph = dynamic_cast<const RoutingOver<Graph>*>(&routing)) return use(*graph);
  return use(routing);
}

}  // namespace halcyon::network
