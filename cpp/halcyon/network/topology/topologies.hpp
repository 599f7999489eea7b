#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/network/topology/dragonfly.hpp"
#include "halcyon/network/topology/fat_tree.hpp"
#include "halcyon/network/topology/graph.hpp"
#include "halcyon/network/topology/hyperx.hpp"
#include "halcyon/network/topology/torus.hpp"

namespace halcyon::network {

template <class... Types>
struct TypeList {};

/// All topologies. A new one needs a class with `choices()`, its header above, and its name in this list.
using Topologies = TypeList<Crossbar, Torus, HyperX, FatTree, Dragonfly, Graph>;

const Choices& topologies();
std::vector<options::RegistryEntry> topology_choices();

/// @param type name of a choice @throws ConfigError for an unknown type or option
std::unique_ptr<Topology> make_topology(std::string_view type, options::Values values);

/// The networks of table 1 of Zheng and Marguinaud (2018), as the simulator of that paper implements them:
/// the fat trees have four levels of switches, where the table counts three; the dragonflies are HyperX
/// networks, in which each switch has a link to every other group.
std::vector<std::string_view> network_names();

/// @throws ConfigError for an unknown network
std::unique_ptr<Topology> named_network(std::string_view name);

}  // namespace halcyon::network
