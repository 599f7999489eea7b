#pragma once

#include <cstdint>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::network {

/// Where ranks run. A node's ranks have slots 0, 1, ... in the order of their numbers.
class Placement {
 public:
  /// @param nodes (rank)
  /// @throws ConfigError where a node is none of the topology's, or has more ranks than `ranks_per_node`
  Placement(const Topology& topology, std::vector<Node> nodes, std::int32_t ranks_per_node);

  Rank n_ranks() const { return static_cast<Rank>(nodes_.size()); }
  Node node(Rank rank) const { return linear_ ? ranks_a_node_.quotient(rank) : nodes_[rank]; }
  std::int32_t slot(Rank rank) const { return slots_.empty() ? 0 : slots_[rank]; }
  std::int32_t ranks_per_node() const { return ranks_per_node_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The node behind the last one that has ranks.
  Node end_node() const { return end_node_; }

 private:
  std::vector<Node> nodes_;           // (rank)
  std::vector<std::uint16_t> slots_;  // (rank); empty where a node has one rank
  std::int32_t ranks_per_node_;
  Node end_node_ = 0;
  Divisor ranks_a_node_;
  bool linear_;  // as `linear_placement`, which needs no look at the table
};

/// Rank r on node r / ranks_per_node.
/// @throws ConfigError where there are more ranks than places, or no rank
Placement linear_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node = 1);

/// As many consecutive ranks a node, on nodes drawn by chance.
/// @throws ConfigError as `linear_placement`
Placement random_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node = 1,
                           std::uint64_t seed = 1);

/// A rule by which ranks are placed, as a user chooses it. `schedule`, where there is one: what the ranks do.
struct PlacementEntry : options::Choice {
  Placement (*make)(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node, std::uint64_t seed,
                    const schedule::Schedule* schedule);
};

const std::vector<PlacementEntry>& placements();

/// Sum over messages of bytes times links on a shortest route.
double hop_bytes(const Topology& topology, const Placement& placement, const schedule::Volumes& volumes);

/// Ranks that send each other much near each other: the graph of the volumes is grown from its heaviest rank
/// and laid along the nodes, then ranks change places while that lowers `hop_bytes` (after Hoefler and Snir
/// 2011, ICS, section 4). Never worse than `linear_placement`, on whose nodes it is.
/// @throws ConfigError as `linear_placement`; InputError where a peer is none of the ranks
Placement mapped_placement(const Topology& topology, const schedule::Volumes& volumes,
                           std::int32_t ranks_per_node = 1);

}  // namespace halcyon::network
