#include "halcyon/network/routing/routing.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/routing_over.hpp"

namespace halcyon::network {
namespace {

const std::vector<options::Choice>& methods() {
  static const std::vector<options::Choice> all{
      {.name = "minimal",
       .text = "A shortest route: by dimensions in order, up and down, local-global-local."},
      {.name = "valiant",
       .text = "Minimal to a switch drawn by chance, and from there minimal.",
       .references = "Valiant and Brebner 1981"},
      {.name = "ugal",
       .text = "Of a minimal and a Valiant route the one with the smaller product of its first link's queue "
               "and its length.",
       .references = "Singh 2005; Kim et al. 2008"},
      {.name = "ugal_of_sstmacro",
       .text = "As ugal, with the length of the minimal route for that of the first leg.",
       .references = "Zheng and Marguinaud 2018"},
      {.name = "d_mod_k",
       .text = "Up a fat tree by the digits of the target's number.",
       .references = "Zahavi et al. 2010",
       .goes_with = {"fat_tree"}},
  };
  return all;
}

}  // namespace

std::vector<options::Choice> routing_choices() {
  return methods();
}

Method method_named(std::string_view name) {
  return static_cast<Method>(&options::find("routing", methods(), name) - methods().data());
}

std::string_view name_of(Method method) {
  return methods()[static_cast<std::size_t>(method)].name;
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
