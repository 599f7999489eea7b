#pragma once

#include <vector>

#include "halcyon/network/mapping/affinity.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// Where items are, and which may change places. `near(at)`: the switches whose items one may change with
/// that has a peer on switch `at`.
struct SwapOptions {
  std::vector<Switch> (*near)(const Topology& topology, Switch at);
  int most_peers = 4;  ///< whose surroundings an item looks at
  int most_sweeps = 8;
};

/// Lets items change places with others while that lowers the sum of bytes times distance: item by item with
/// the best of those near its peers, again and again until none gains or the sweeps are over.
/// @param places (item) changed in place
/// @param sizes (item) those of other sizes change no places
void swap_places(const Topology& topology, const Affinity& affinity, const std::vector<std::int32_t>& sizes,
                 const SwapOptions& options, std::vector<Switch>& places);

/// The switch itself.
std::vector<Switch> same_switch(const Topology& topology, Switch at);

/// Edge switches with numbers near the switch's, and at the ends of a dozen of its links.
std::vector<Switch> near_switches(const Topology& topology, Switch at);

}  // namespace halcyon::network
