#pragma once

#include <cstdint>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/network/topology/topology.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::network {

/// Assignment of ranks to nodes. The ranks of a node occupy its slots 0, 1, ... in ascending order.
class Placement {
 public:
  /// @param nodes (rank)
  /// @throws ConfigError for an invalid node, or more than `ranks_per_node` ranks on a node
  Placement(const Topology& topology, std::vector<Node> nodes, std::int32_t ranks_per_node);
  Rank n_ranks() const { return static_cast<Rank>(nodes_.size()); }
  Node node(Rank rank) const { return is_linear_ ? quotient(rank, divisor_) : nodes_[rank]; }
  std::int32_t slot(Rank rank) const { return slots_.empty() ? 0 : slots_[rank]; }
  std::int32_t ranks_per_node() const { return ranks_per_node_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  Node end_node() const { return end_node_; }  ///< one past the last occupied node

 private:
  std::vector<Node> nodes_;           // (rank)
  std::vector<std::uint16_t> slots_;  // (rank); empty for one rank per node
  std::int32_t ranks_per_node_;
  Node end_node_ = 0;
  Divisor divisor_;
  bool is_linear_;  // rank r is on node r / ranks_per_node_, so that `node` needs no table
};

/// Places rank r on node r / ranks_per_node.
/// @throws ConfigError for zero ranks, or for more ranks than the nodes of the network can hold
Placement linear_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node = 1);

/// Places blocks of `ranks_per_node` consecutive ranks on randomly chosen nodes.
/// @throws ConfigError as `linear_placement`
Placement random_placement(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node = 1,
                           std::uint64_t seed = 1);

struct PlacementEntry : options::RegistryEntry {
  /// @param schedule communication of the ranks, or null if unknown
  Placement (*make)(const Topology& topology, Rank n_ranks, std::int32_t ranks_per_node, std::uint64_t seed,
                    const schedule::Schedule* schedule);
};

const std::vector<PlacementEntry>& placements();

/// Returns the sum over messages of bytes times number of links on a shortest route.
double hop_bytes(const Topology& topology, const Placement& placement, const schedule::Volumes& volumes);

/// Topology-aware mapping on the nodes of `linear_placement`. Improves two placements by swaps of ranks that
/// lower `hop_bytes`: the linear one and a greedy one, which starts with the rank that communicates most and
/// adds those that exchange most with placed ranks (after Hoefler and Snir 2011, ICS, section 4). Returns the
/// better one.
/// @throws ConfigError as `linear_placement`; InputError for an invalid peer
Placement mapped_placement(const Topology& topology, const schedule::Volumes& volumes,
                           std::int32_t ranks_per_node = 1);

}  // namespace halcyon::network
