#include "halcyon/network/routing/routing.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/routing_over.hpp"

namespace halcyon::network {
namespace {

bool always(const Detour&) {
  return true;
}

/// What waits for the first link of the way to a switch.
double queue(const Detour& way, Switch goal) {
  Route route = way.straight;
  route.goal = goal;
  return way.loads.queue(way.routing.next(way.from, route).link);
}

/// The product of its first link's queue and its length is smaller (Singh 2005; Kim et al. 2008,
/// section 4.2).
/// @param first_goal to which the length of the first leg is taken
bool is_shorter(const Detour& way, Switch first_goal) {
  const auto& topology = way.routing.topology();
  const Switch to = way.straight.goal;
  const int direct_links = topology.distance(way.from, to);
  const int links = topology.distance(way.from, first_goal) + topology.distance(way.middle, to);
  return queue(way, to) * direct_links > queue(way, way.middle) * links;
}

}  // namespace

const std::vector<RoutingEntry>& routings() {
  static const std::vector<RoutingEntry> all{
      {{.name = "minimal",
        .text = "A shortest route: by dimensions in order, up and down, local-global-local."}},
      {{.name = "valiant",
        .text = "Minimal to a switch drawn by chance, and from there minimal.",
        .references = "Valiant and Brebner 1981"},
       always},
      {{.name = "ugal",
        .text = "Of a minimal and a Valiant route the one with the smaller product of its first link's queue "
                "and its length.",
        .references = "Singh 2005; Kim et al. 2008"},
       [](const Detour& way) { return is_shorter(way, way.middle); }},
      // With the fault of SST/macro's that Zheng and Marguinaud (2018) used.
      {{.name = "ugal_of_sstmacro",
        .text = "As ugal, with the length of the minimal route for that of the first leg.",
        .references = "Zheng and Marguinaud 2018"},
       [](const Detour& way) { return is_shorter(way, way.straight.goal); }},
      {{.name = "d_mod_k",
        .text = "Up a fat tree by the digits of the target's number.",
        .references = "Zahavi et al. 2010",
        .goes_with = {"fat_tree"}},
       nullptr,
       true},
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
      "Routing d_mod_k is for fat trees, and the network is a {}. Use minimal, valiant or ugal.",
      topology.name());
  std::unique_ptr<Routing> routing;
  any_network(Topologies{}, [&]<class Network>(std::type_identity<Network>) {
    const auto* network = dynamic_cast<const Network*>(&topology);
    if (network) routing = std::make_unique<RoutingOver<Network>>(*network, method, seed);
    return network != nullptr;
  });
  require<InternalError>(routing != nullptr, "There is no routing over {}.", topology.name());
  return routing;
}

}  // namespace halcyon::network
