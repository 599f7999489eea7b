#include "halcyon/network/routing/routing.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/topology_routing.hpp"
#include "halcyon/network/topology/attached_nics.hpp"

namespace halcyon::network {
namespace {

bool always_detour(const Detour&) {
  return true;
}

/// The route over the intermediate switch.
Route detour_route(const Detour& detour) {
  Route route = detour.minimal;
  route.goal = detour.via.number;
  route.state = detour.via.state;
  route.leg = Leg::first;
  return route;
}

/// Whether the detour has the smaller product of first-link queue and path length (Singh 2005). If both
/// routes begin with the same link, the queues of their channels are compared (UGAL-L_VCH of Kim et al. 2008,
/// section 4.3.1).
/// @param first_leg_end switch to which the length of the first leg is computed
/// @param is_biased whether only packets that wait for room count on the minimal route, and all bytes on the
/// detour, so that a network without congestion takes minimal routes; else, `LinkLoads::queue` counts on both
bool has_less_queueing(const Detour& detour, Switch first_leg_end, bool is_biased) {
  const auto& topology = detour.routing.topology();
  const Switch to = detour.minimal.goal;
  const int direct_links = topology.distance(detour.from, to);
  const int detour_links =
      topology.distance(detour.from, first_leg_end) + topology.distance(detour.via.number, to);
  Route direct_route = detour.minimal, other_route = detour_route(detour);
  const Hop direct = detour.routing.next(detour.from, direct_route);
  const Hop other = detour.routing.next(detour.from, other_route);
  const auto& loads = detour.loads;
  const bool same = direct.link == other.link;
  const auto queue = [&](const Hop& hop) {
    return same ? loads.queue(hop.link, hop.channel) : loads.queue(hop.link);
  };
  if (!is_biased) return queue(direct) * direct_links > queue(other) * detour_links;
  const auto waiting = same ? loads.waiting(direct.link, direct.channel) : loads.waiting(direct.link);
  if (waiting == 0) return false;
  const auto occupancy = same ? loads.occupancy(other.link, other.channel) : loads.occupancy(other.link);
  return waiting * direct_links > occupancy * detour_links;
}

/// The longest queue of a route's links, and the number of links.
struct RouteLoad {
  double queue = 0;
  int n_links = 0;
};
RouteLoad route_load(const Detour& detour, Route route) {
  RouteLoad load;
  for (Switch current = detour.from; !route.has_arrived(current); ++load.n_links) {
    const Hop hop = detour.routing.next(current, route);
    load.queue = std::max(load.queue, detour.loads.queue(hop.link));
    current = hop.to;
  }
  return load;
}

/// Whether the detour has the smaller product of its longest queue and its length (UGAL-G of Kim et al. 2008,
/// section 4.2, with the queues of all links, not only of global ones).
bool has_less_queueing_anywhere(const Detour& detour) {
  const auto direct = route_load(detour, detour.minimal), other = route_load(detour, detour_route(detour));
  return direct.queue * direct.n_links > other.queue * other.n_links;
}

/// The queues of the links of one part.
class LoadsOfPart final : public LinkLoads {
 public:
  LoadsOfPart(const LinkLoads& loads, Link first_link) : loads_(loads), first_link_(first_link) {}
  double queue(Link link) const override { return loads_.queue(first_link_ + link); }
  double queue(Link link, int channel) const override { return loads_.queue(first_link_ + link, channel); }
  double waiting(Link link) const override { return loads_.waiting(first_link_ + link); }
  double waiting(Link link, int channel) const override {
    return loads_.waiting(first_link_ + link, channel);
  }
  double occupancy(Link link) const override { return loads_.occupancy(first_link_ + link); }
  double occupancy(Link link, int channel) const override {
    return loads_.occupancy(first_link_ + link, channel);
  }

 private:
  const LinkLoads& loads_;
  Link first_link_;
};

/// Routes over the parts of a network of attached NICs: a message stays in the part of its source's NIC,
/// where switches choose as in that part alone.
class AttachedRouting final : public Routing {
 public:
  AttachedRouting(const AttachedNics& network, Method method, std::uint64_t seed)
      : network_(network), method_(method) {
    for (const auto* part : network.parts()) routings_.push_back(make_routing(*part, method, seed));
  }

  const Topology& topology() const override { return network_; }
  Method method() const override { return method_; }
  int n_channels() const override {
    int most = 0;
    for (const auto& each : routings_) most = std::max(most, each->n_channels());
    return most;
  }
  bool spreads() const override { return any(&Routing::spreads); }
  bool reads_queues() const override { return any(&Routing::reads_queues); }
  bool reads_remote_queues() const override { return any(&Routing::reads_remote_queues); }
  bool adapts() const override { return any(&Routing::adapts); }

  void start(Route& route, const LinkLoads& loads) const override {
    const auto part = network_.part_of_nic(network_.nic_of(route.source));
    auto inner = route;
    inner.source = network_.in_part(route.source);
    inner.target = network_.in_part(route.target);
    routings_[part]->start(inner, LoadsOfPart(loads, network_.first_link_of_part(part)));
    store(inner, part, route);
  }

  Hop next(Switch current, Route& route) const override {
    const auto part = network_.part_of_switch(current);
    auto inner = route_in_part(route, part);
    const auto hop = routings_[part]->next(current - network_.first_switch_of_part(part), inner);
    store(inner, part, route);
    return shifted(hop, part, 1);
  }

  Hop adapt(Switch current, const Route& route, const Hop& hop, const LinkLoads& loads) const override {
    const auto part = network_.part_of_switch(current);
    return shifted(
        routings_[part]->adapt(current - network_.first_switch_of_part(part), route_in_part(route, part),
                               shifted(hop, part, -1), LoadsOfPart(loads, network_.first_link_of_part(part))),
        part, 1);
  }

 private:
  bool any(bool (Routing::*property)() const) const {
    return std::ranges::any_of(routings_, [&](const auto& each) { return (*each.*property)(); });
  }

  Route route_in_part(const Route& route, std::size_t part) const {
    auto inner = route;
    inner.target = network_.in_part(route.target);
    inner.goal -= network_.first_switch_of_part(part);
    return inner;
  }
  void store(const Route& inner, std::size_t part, Route& route) const {
    route.path_selector = inner.path_selector;
    route.goal = inner.goal + network_.first_switch_of_part(part);
    route.state = inner.state;
    route.leg = inner.leg;
  }
  Hop shifted(const Hop& hop, std::size_t part, int sign) const {
    return {.link = hop.link + sign * network_.first_link_of_part(part),
            .channel = hop.channel,
            .to = hop.to + sign * network_.first_switch_of_part(part)};
  }

  const AttachedNics& network_;
  Method method_;
  std::vector<std::unique_ptr<Routing>> routings_;  // (part)
};

}  // namespace

const std::vector<RoutingEntry>& routings() {
  static const std::vector<RoutingEntry> all{
      {{.name = "minimal",
        .text = "Shortest route: dimension order on grids, up and down on fat trees, local-global-local on "
                "dragonflies."}},
      {{.name = "valiant",
        .text =
            "Minimal route to a random intermediate switch (dragonfly: of another group), and minimal from "
            "there.",
        .references = "Valiant and Brebner 1981; Kim et al. 2008"},
       always_detour},
      {{.name = "ugal",
        .text =
            "The minimal route, or a Valiant route if packets wait for the minimal one's first link and the "
            "detour has the smaller product of first-link queue and path length.",
        .references = "Singh 2005; Kim et al. 2008",
        .traits = {"reads queues"}},
       [](const Detour& detour) { return has_less_queueing(detour, detour.via.number, true); },
       /*selects_by_target=*/false,
       /*reads_queues=*/true},
      {{.name = "ugal_g",
        .text =
            "The minimal or the Valiant route, whichever has the smaller product of its links' longest queue "
            "and path length: as if the first switch knew all queues.",
        .references = "Kim et al. 2008",
        .traits = {"reads queues", "one thread"}},
       has_less_queueing_anywhere,
       /*selects_by_target=*/false,
       /*reads_queues=*/true,
       /*adapts_up=*/false,
       /*reads_remote_queues=*/true},
      // Reproduces an error of SST/macro as used by Zheng and Marguinaud (2018).
      {{.name = "ugal_of_sstmacro",
        .text =
            "The minimal or the Valiant route, whichever has the smaller product of first-link queue and "
            "path length, where the minimal route's length replaces that of the Valiant route's first leg.",
        .references = "Zheng and Marguinaud 2018",
        .traits = {"reads queues"}},
       [](const Detour& detour) { return has_less_queueing(detour, detour.minimal.goal, false); },
       /*selects_by_target=*/false,
       /*reads_queues=*/true},
      {{.name = "d_mod_k",
        .text = "Deterministic up-routing on a fat tree, by the digits of the target's number.",
        .references = "Zahavi et al. 2010",
        .only_with = {"fat_tree"}},
       /*takes_detour=*/nullptr,
       /*selects_by_target=*/true},
      {{.name = "adaptive",
        .text = "On a fat tree, each switch chooses the up-port with the shortest queue.",
        .only_with = {"fat_tree"},
        .traits = {"reads queues"}},
       /*takes_detour=*/nullptr,
       /*selects_by_target=*/false,
       /*reads_queues=*/true,
       /*adapts_up=*/true},
  };
  return all;
}

Method method_named(std::string_view name) {
  return static_cast<Method>(&options::find("routing", routings(), name) - routings().data());
}

std::string_view name_of(Method method) {
  return routings()[static_cast<std::size_t>(method)].name;
}

std::unique_ptr<Routing> make_routing(const Topology& topology, Method method, std::uint64_t seed) {
  if (const auto* network = dynamic_cast<const AttachedNics*>(&topology))
    return std::make_unique<AttachedRouting>(*network, method, seed);
  require<ConfigError>(
      (method != Method::d_mod_k && method != Method::adaptive) || dynamic_cast<const FatTree*>(&topology),
      "Routing {} is for fat trees, but the network is a {}. Use minimal, valiant or ugal.", name_of(method),
      topology.name());
  std::unique_ptr<Routing> routing;
  any_topology(Topologies{}, [&]<class Network>(std::type_identity<Network>) {
    const auto* network = dynamic_cast<const Network*>(&topology);
    if (network) routing = std::make_unique<TopologyRouting<Network>>(*network, method, seed);
    return network != nullptr;
  });
  require<InternalError>(routing != nullptr, "There is no routing for {}.", topology.name());
  return routing;
}

}  // namespace halcyon::network
