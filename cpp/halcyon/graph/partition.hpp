#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

enum class PartitionMethod { kway, recursive };
inline constexpr std::array<std::string_view, 2> kPartitionMethodNames{"kway", "recursive"};

/// @throws ConfigError that lists the names
PartitionMethod partition_method_named(std::string_view name);

/// Options of a partition.
struct PartitionOptions {
  PartitionMethod method = PartitionMethod::kway;
  int seed = 1;             ///< of the random numbers of METIS
  bool contiguous = false;  ///< whether each part must be connected
};

/// Partitions a graph into parts of nearly equal weight with a small edge cut (METIS; Karypis and Kumar 1998,
/// SIAM J. Sci. Comput. 20, 359-392). No part is empty. Deterministic: the result is the same on all ranks.
/// @returns the part of each node
/// @throws ConfigError for more parts than nodes or fewer than one, for contiguous parts of a graph that is
/// not connected, and for weights that are too large for METIS
std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options = {});

/// Partitions a graph in two levels, among compute nodes of `ranks_per_node` ranks each and then among the
/// ranks of each compute node, so that most cut edges are within compute nodes. Ranks of a compute node are
/// consecutive; the last compute node may have fewer. A part that should be contiguous may be split if METIS
/// assigned fewer graph nodes to a compute node than it has ranks.
/// @returns the rank of each node of the graph
/// @throws ConfigError as `partition`, and for fewer than one rank per compute node
std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options = {});

/// The connected components of the parts of a graph.
struct Components {
  std::vector<GlobalIndex> of_node;   ///< component (node)
  std::vector<Rank> part;             ///< (component)
  std::vector<std::int64_t> n_nodes;  ///< (component)
};

/// Components are numbered in the order of their smallest nodes.
/// @param parts (node)
Components components_of(const Adjacency& graph, std::span<const Rank> parts);

/// Makes the parts of a connected graph contiguous: each part keeps its largest component, and other
/// components move to the part to which the weight of their edges is largest. Components without an edge to
/// another part do not move.
/// @param parts (node) from 0 to n_parts - 1
void join_components(const Adjacency& graph, int n_parts, std::vector<Rank>& parts);

/// A node that can be removed from the first component of a part without disconnecting it: the last node that
/// a breadth-first search from the smallest node finds.
GlobalIndex removable_node(const Adjacency& graph, std::span<const Rank> parts, Rank part);

/// The nodes of each part, ascending.
std::vector<std::vector<GlobalIndex>> nodes_of_parts(std::span<const Rank> parts, int n_parts);

/// Quality measures of a partition.
struct PartitionReport {
  int n_parts = 0;
  std::int64_t least_weight = 0, most_weight = 0;  ///< of a part: sum of its node weights
  double mean_weight = 0;
  double imbalance = 1;       ///< maximum over mean
  std::int64_t edge_cut = 0;  ///< weight of the edges between parts, each counted once
  int n_empty = 0;            ///< parts without a node
  int n_split = 0;            ///< parts with more than one component
};

/// @param parts (node) from 0 to n_parts - 1
/// @throws InputError for a wrong number of entries, or parts outside this range
PartitionReport partition_report(const Adjacency& graph, std::span<const Rank> parts, int n_parts);

/// The weight of the edges between nodes of different parts, each counted once.
std::int64_t edge_cut(const Adjacency& graph, std::span<const Rank> parts);

}  // namespace halcyon::graph
