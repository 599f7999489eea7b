#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/network/machine.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// The networks of table 1 of Zheng and Marguinaud (2018), as that paper's simulator built them: fat trees of
/// four levels of switches where the table counts three, and a HyperX under the name of dragonfly, each of
/// whose switches has a link to every other group.
std::vector<std::string_view> network_names();

/// @throws ConfigError where there is no network of that name
std::unique_ptr<Topology> named_network(std::string_view name);

/// - `reference`: that of our figures and benchmarks;
/// - `zheng2018`: packets, buffers and bypass as in the simulator of Zheng and Marguinaud (2018), whose
///   crossbars nothing shared (no arbitration), with speeds that were typical there, for the paper does not
///   say its own: 10 GB/s and 100 ns a hop, injection at 10 GB/s and 1 us.
std::vector<std::string_view> machine_names();

/// @throws ConfigError where there is no machine of that name
Machine named_machine(std::string_view name);

}  // namespace halcyon::network
