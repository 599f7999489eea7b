#include "halcyon/network/routing/routing.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/topology_routing.hpp"

namespace halcyon::network {
namespace {

bool always_detour(const Detour&) {
  return true;
}

/// Returns the queue at the first link of the minimal route to a switch.
double first_link_queue(const Detour& detour, Switch goal) {
  Route route = detour.minimal;
  route.goal = goal;
  return detour.loads.queue(detour.routing.next(detour.from, route).link);
}

/// Whether the detour has the smaller product of first-link queue and path length (Singh 2005; Kim et al.
/// 2008, section 4.2).
/// @param first_leg_end switch to which the length of the first leg is computed
bool has_less_queueing(const Detour& detour, Switch first_leg_end) {
  const auto& topology = detour.routing.topology();
  const Switch to = detour.minimal.goal;
  const int direct_links = topology.distance(detour.from, to);
  const int detour_links =
      topology.distance(detour.from, first_leg_end) + topology.distance(detour.intermediate, to);
  return first_link_queue(detour, to) * direct_links >
         first_link_queue(detour, detour.intermediate) * detour_links;
}

}  // namespace

const std::vector<RoutingEntry>& routings() {
  static const std::vector<RoutingEntry> all{
      {{.name = "minimal",
        .text = "Shortest route: dimension order on grids, up and down on fat trees, local-global-local on "
                "dragonflies."}},
      {{.name = "valiant",
        .text = "Minimal route to a random intermediate switch, and minimal from there.",
        .references = "Valiant and Brebner 1981"},
       always_detour},
      {{.name = "ugal",
        .text = "The minimal or the Valiant route, whichever has the smaller product of first-link queue and "
                "path length.",
        .references = "Singh 2005; Kim et al. 2008"},
       [](const Detour& detour) { return has_less_queueing(detour, detour.intermediate); }},
      // Reproduces an error of SST/macro as used by Zheng and Marguinaud (2018).
      {{.name = "ugal_of_sstmacro",
        .text = "As ugal, but the length of the minimal route replaces the length of the Valiant route's "
                "first leg.",
        .references = "Zheng and Marguinaud 2018"},
       [](const Detour& detour) { return has_less_queueing(detour, detour.minimal.goal); }},
      {{.name = "d_mod_k",
        .text = "Deterministic up-routing on a fat tree, by the digits of the target's number.",
        .references = "Zahavi et al. 2010",
        .only_with = {"fat_tree"}},
       /*takes_detour=*/nullptr,
       /*selects_by_target=*/true},
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
  require<ConfigError>(
      method != Method::d_mod_k || dynamic_cast<const FatTree*>(&topology),
      "Routing d_mod_k is for fat trees, but the network is a {}. Use minimal, valiant or ugal.",
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
