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

/// All topologies. To add one: a class with `choices()`, its header above, and its name in this list.
using Topologies = TypeList<Crossbar, Torus, HyperX, FatTree, Dragonfly, Graph>;

/// What the topologies declare, in the order of the list.
const Choices& topologies();
std::vector<options::Choice> topology_choices();

/// @param type the name of a choice
/// @throws ConfigError for an unknown type, and options that it does not have
std::unique_ptr<Topology> make_topology(std::string_view type, options::Values values);

/// The networks of table 1 of Zheng and Marguinaud (2018), as that paper's simulator built them: fat trees of
/// four levels of switches where the table counts three, and a HyperX under the name of dragonfly, each of
/// whose switches has a link to every other group.
std::vector<std::string_view> network_names();

/// @throws ConfigError where there is no network of that name
std::unique_ptr<Topology> named_network(std::string_view name);

}  // namespace halcyon::network
