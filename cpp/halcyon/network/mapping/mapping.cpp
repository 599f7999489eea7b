#include <algorithm>
#include <numeric>

#include "halcyon/network/mapping/growth.hpp"
#include "halcyon/network/mapping/placement.hpp"
#include "halcyon/network/mapping/swaps.hpp"

namespace halcyon::network {
namespace {

/// The switches of the linear placement, and how many ranks each has.
struct Groups {
  std::vector<Switch> switches;     // (group)
  std::vector<std::int32_t> sizes;  // (group)
};

Groups groups_of(const Topology& topology, const Placement& linear) {
  Groups groups;
  for (const Node node : linear.nodes()) {
    const Switch at = topology.switch_of(node);
    if (groups.switches.empty() || groups.switches.back() != at) {
      groups.switches.push_back(at);
      groups.sizes.push_back(0);
    }
    ++groups.sizes.back();
  }
  return groups;
}

/// The switch of each rank, from the ranks group after group: whole groups change places first, then ranks.
std::vector<Switch> improved(const Topology& topology, const Affinity& affinity, const Groups& groups,
                             const std::vector<Rank>& order) {
  std::vector<std::int32_t> group_of(order.size());
  std::size_t at = 0;
  for (std::size_t group = 0; group < groups.sizes.size(); ++group)
    for (std::int32_t i = 0; i < groups.sizes[group]; ++i)
      group_of[order[at++]] = static_cast<std::int32_t>(group);
  std::vector<Switch> places = groups.switches;
  const auto between = affinity.between(group_of, static_cast<std::int32_t>(groups.sizes.size()));
  swap_places(topology, between, groups.sizes, {.near = near_switches}, places);
  std::vector<Switch> switches(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) switches[rank] = places[group_of[rank]];
  const std::vector<std::int32_t> alike(order.size(), 1);
  swap_places(topology, affinity, alike, {.near = same_switch}, switches);
  return switches;
}

/// The ranks of each switch on the places that the linear placement has there, in the order of their numbers.
Placement on_nodes(const Topology& topology, const Placement& linear, const std::vector<Switch>& switches) {
  std::vector<Rank> ranks(switches.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [&](Rank rank) { return switches[rank]; });
  std::vector<Node> nodes(switches.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) nodes[ranks[i]] = linear.nodes()[i];
  return {topology, std::move(nodes), linear.ranks_per_node()};
}

}  // namespace

Placement mapped_placement(const Topology& topology, const schedule::Volumes& volumes,
                           std::int32_t ranks_per_node) {
  const auto linear = linear_placement(topology, volumes.n_ranks(), ranks_per_node);
  const auto affinity = Affinity::of(volumes);
  const auto groups = groups_of(topology, linear);
  std::vector<Rank> natural(volumes.n_ranks());
  std::iota(natural.begin(), natural.end(), 0);
  const auto made = [&](const std::vector<Rank>& order) {
    return on_nodes(topology, linear, improved(topology, affinity, groups, order));
  };
  auto best = made(natural), other = made(grown(affinity, groups.sizes));
  return hop_bytes(topology, other, volumes) < hop_bytes(topology, best, volumes) ? other : best;
}

}  // namespace halcyon::network
