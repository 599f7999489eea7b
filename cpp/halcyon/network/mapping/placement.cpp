#include "halcyon/network/mapping/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/network/routing/routing.hpp"

namespace halcyon::network {
namespace {

constexpr std::int32_t kMaxRanksPerNode = std::numeric_limits<std::uint16_t>::max();

void require_room(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node) {
  require<ConfigError>(ranks_per_node >= 1 && ranks_per_node <= kMaxRanksPerNode,
                       "ranks_per_node is {}. Give 1 to {}.", ranks_per_node, kMaxRanksPerNode);
  require<ConfigError>(n_ranks >= 1, "The number of ranks is {}. Give 1 or more.", n_ranks);
  const std::int64_t slots = std::int64_t{topology.n_nodes()} * ranks_per_node;
  require<ConfigError>(n_ranks <= slots,
                       "There are {}, but {} has {}: {} with {} each. Use fewer ranks, "
                       "more ranks per node or a larger network.",
                       count_with_noun(n_ranks, "rank"), topology.name(), count_with_noun(slots, "slot"),
                       count_with_noun(topology.n_nodes(), "node"), count_with_noun(ranks_per_node, "rank"));
}

/// Returns the node of each rank, for blocks of `ranks_per_node` ranks on nodes 0, 1, ...
std::vector<Node> block_nodes(Rank n_ranks, std::int32_t ranks_per_node) {
  std::vector<Node> rank_nodes(n_ranks);
  for (Rank rank = 0; rank < n_ranks; ++rank) rank_nodes[rank] = rank / ranks_per_node;
  return rank_nodes;
}

}  // namespace

Placement::Placement(const Topology& topology, std::vector<Node> nodes, std::int32_t ranks_per_node)
    : nodes_(std::move(nodes)), ranks_per_node_(ranks_per_node), is_linear_(true) {
  require_room(topology, static_cast<Rank>(nodes_.size()), ranks_per_node);
  divisor_ = Divisor(ranks_per_node);
  std::vector<std::uint16_t> n_placed;
  if (ranks_per_node > 1) slots_.resize(nodes_.size());
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    const Node node = nodes_[rank];
    is_linear_ &= node == quotient(static_cast<Rank>(rank), divisor_);
    require<ConfigError>(node >= 0 && node < topology.n_nodes(),
                         "Rank {} is placed on node {}, but the nodes are 0 to {}.", rank, node,
                         topology.n_nodes() - 1);
    end_node_ = std::max(end_node_, node + 1);
    if (end_node_ > std::ssize(n_placed)) n_placed.resize(end_node_);
    require<ConfigError>(n_placed[node] < ranks_per_node,
                         "Node {} holds at most {}, but rank {} is placed on it in addition. Place it on "
                         "another node, or raise ranks_per_node.",
                         node, count_with_noun(ranks_per_node, "rank"), rank);
    if (ranks_per_node > 1) slots_[rank] = n_placed[node];
    ++n_placed[node];
  }
}

Placement linear_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node) {
  require_room(topology, n_ranks, ranks_per_node);
  return {topology, block_nodes(n_ranks, ranks_per_node), ranks_per_node};
}

// Fisher-Yates shuffle of the first `n_occupied` nodes.
Placement random_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node,
                           std::uint64_t seed) {
  require_room(topology, n_ranks, ranks_per_node);
  std::vector<Node> nodes(topology.n_nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  const Node n_nodes = topology.n_nodes(), n_occupied = (n_ranks - 1) / ranks_per_node + 1;
  for (Node i = 0; i < n_occupied; ++i)
    std::swap(nodes[i],
              nodes[i + random_below(random_number(seed, static_cast<std::uint32_t>(i), 0), n_nodes - i)]);
  auto rank_nodes = block_nodes(n_ranks, ranks_per_node);
  for (Node& node : rank_nodes) node = nodes[node];
  return {topology, std::move(rank_nodes), ranks_per_node};
}

const std::vector<PlacementEntry>& placements() {
  using Schedule = const schedule::Schedule*;
  static const std::vector<PlacementEntry> all{
      {{.name = "linear", .text = "Blocks of consecutive ranks on consecutive nodes."},
       [](const Topology& topology, Rank n_ranks, std::int32_t per_node, std::uint64_t, Schedule) {
         return linear_placement(topology, n_ranks, per_node);
       }},
      {{.name = "random", .text = "Blocks of consecutive ranks on randomly chosen nodes."},
       [](const Topology& topology, Rank n_ranks, std::int32_t per_node, std::uint64_t seed, Schedule) {
         return random_placement(topology, n_ranks, per_node, seed);
       }},
      {{.name = "mapped",
        .text = "Topology-aware mapping: ranks that exchange many bytes are placed near each other."},
       [](const Topology& topology, Rank n_ranks, std::int32_t per_node, std::uint64_t, Schedule schedule) {
         return schedule ? mapped_placement(topology, schedule::volumes(*schedule), per_node)
                         : linear_placement(topology, n_ranks, per_node);
       }},
  };
  return all;
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
