#include "halcyon/network/placement.hpp"

#include <limits>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/network/chance.hpp"

namespace halcyon::network {
namespace {

constexpr std::int32_t kMostRanks = std::numeric_limits<std::uint16_t>::max();

void require_places(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node) {
  require<ConfigError>(ranks_per_node >= 1 && ranks_per_node <= kMostRanks,
                       "A node has {} ranks. Give 1 to {}.", ranks_per_node, kMostRanks);
  require<ConfigError>(n_ranks >= 1, "There are {} ranks. Give 1 or more.", n_ranks);
  const std::int64_t places = std::int64_t{topology.n_nodes()} * ranks_per_node;
  require<ConfigError>(
      n_ranks <= places,
      "There are {} ranks, but {} has {} places: {} nodes of {} ranks. Take fewer ranks, more ranks "
      "a node or a larger network.",
      n_ranks, topology.name(), places, topology.n_nodes(), ranks_per_node);
}

/// The ranks in blocks of `ranks_per_node` on the nodes in this order.
std::vector<Node> in_blocks(Rank n_ranks, std::int32_t ranks_per_node, const std::vector<Node>& nodes) {
  std::vector<Node> placed(n_ranks);
  for (Rank rank = 0; rank < n_ranks; ++rank) placed[rank] = nodes[rank / ranks_per_node];
  return placed;
}

std::vector<Node> all_nodes(const Topology& topology) {
  std::vector<Node> nodes(topology.n_nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

}  // namespace

Placement::Placement(const Topology& topology, std::vector<Node> nodes, std::int32_t ranks_per_node)
    : nodes_(std::move(nodes)), ranks_per_node_(ranks_per_node), linear_(true) {
  require_places(topology, static_cast<Rank>(nodes_.size()), ranks_per_node);
  ranks_a_node_ = Divisor(ranks_per_node);
  std::vector<std::uint16_t> taken(topology.n_nodes());
  if (ranks_per_node > 1) slots_.resize(nodes_.size());
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    const Node node = nodes_[rank];
    linear_ &= node == ranks_a_node_.quotient(static_cast<Rank>(rank));
    require<ConfigError>(node >= 0 && node < topology.n_nodes(),
                         "Rank {} is placed on node {}, but there are the nodes 0 to {}.", rank, node,
                         topology.n_nodes() - 1);
    require<ConfigError>(
        taken[node] < ranks_per_node,
        "Node {} has places for {} ranks, and rank {} is one more. Place it elsewhere, or give more "
        "ranks a node.",
        node, ranks_per_node, rank);
    if (ranks_per_node > 1) slots_[rank] = taken[node];
    ++taken[node];
  }
}

Placement linear_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node) {
  require_places(topology, n_ranks, ranks_per_node);
  return {topology, in_blocks(n_ranks, ranks_per_node, all_nodes(topology)), ranks_per_node};
}

// Fisher and Yates, as far as nodes are needed.
Placement random_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node,
                           std::uint64_t seed) {
  require_places(topology, n_ranks, ranks_per_node);
  auto nodes = all_nodes(topology);
  const Node n_nodes = topology.n_nodes(), needed = (n_ranks - 1) / ranks_per_node + 1;
  for (Node i = 0; i < needed; ++i)
    std::swap(nodes[i], nodes[i + drawn(chance(seed, static_cast<std::uint32_t>(i), 0), n_nodes - i)]);
  return {topology, in_blocks(n_ranks, ranks_per_node, nodes), ranks_per_node};
}

double hop_bytes(const Topology& topology, const Placement& placement, const schedule::Volumes& volumes) {
  double sum = 0;
  for (Rank rank = 0; rank < volumes.n_ranks(); ++rank) {
    const Switch here = topology.switch_of(placement.node(rank));
    for (std::int64_t i = volumes.offsets[rank]; i < volumes.offsets[rank + 1]; ++i) {
      const Switch there = topology.switch_of(placement.node(volumes.peers[i]));
      sum += static_cast<double>(volumes.bytes[i]) * topology.distance(there, here);
    }
  }
  return sum;
}

}  // namespace halcyon::network
