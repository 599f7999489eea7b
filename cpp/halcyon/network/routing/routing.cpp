#include "halcyon/network/routing/routing.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/routing_over.hpp"

namespace halcyon::network {
namespace {

template <class Network>
std::unique_ptr<Routing> made(const Topology& topology, Method method, std::uint64_t seed) {
  const auto* network = dynamic_cast<const Network*>(&topology);
  return network ? std::make_unique<RoutingOver<Network>>(*network, method, seed) : nullptr;
}

template <class... Networks>
std::unique_ptr<Routing> first_made(const Topology& topology, Method method, std::uint64_t seed) {
  std::unique_ptr<Routing> routing;
  ((routing = made<Networks>(topology, method, seed)) || ...);
  require<InternalError>(routing != nullptr, "There is no routing over {}.", topology.name());
  return routing;
}

}  // namespace

Method method_named(std::string_view name) {
  const auto at = std::ranges::find(kMethodNames, name) - kMethodNames.begin();
  require<ConfigError>(at < std::ssize(kMethodNames), "There is no routing '{}'. Use {}.", name,
                       fmt::join(kMethodNames, ", "));
  return static_cast<Method>(at);
}

std::unique_ptr<Routing> make_routing(const Topology& topology, Method method, std::uint64_t seed) {
  require<ConfigError>(
      method != Method::d_mod_k || dynamic_cast<const FatTree*>(&topology),
      "Routing d_mod_k is for fat trees, and the network is a {}. Use minimal, valiant or ugal.",
      topology.name());
  return first_made<Torus, HyperX, FatTree, Dragonfly, Graph>(topology, method, seed);
}

}  // namespace halcyon::network
