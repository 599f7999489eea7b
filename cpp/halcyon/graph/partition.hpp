#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

/// Methods of METIS: multilevel k-way partitioning, or recursive bisection.
enum class PartitionMethod { kway, recursive };
inline constexpr std::array<std::string_view, 2> kPartitionMethodNames{"kway", "recursive"};

/// @throws ConfigError that lists the names
PartitionMethod partition_method_named(std::string_view name);

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::kway;
  int seed = 1;             ///< seed of METIS' random numbers
  bool contiguous = false;  ///< whether each part must be connected
};

/// Partitions a graph into parts of nearly equal weight with a small edge cut (METIS; Karypis and Kumar 1998,
/// SIAM J. Sci. Comput. 20, 359-392). No part is empty. Deterministic: the result is the same on all ranks.
/// @returns the part of each node
/// @throws ConfigError for more parts than nodes or fewer than one, for contiguous parts of a graph that is
/// not connected, and for weights that are too large for METIS
std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options = {});

/// Partitions a graph in two levels: among compute nodes, and then the part of each compute node among its
/// ranks, so that most cut edges are within compute nodes. A compute node has `ranks_per_node` consecutive
/// ranks; the last compute node may have fewer. With the option `contiguous`, the part of a rank may still be
/// split if METIS assigned fewer graph nodes to a compute node than it has ranks.
/// @returns the rank of each node of the graph
/// @throws ConfigError as `partition`, and for fewer than one rank per compute node
std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options = {});

/// The connected components of the parts of a graph.
struct Components {
  std::vector<GlobalIndex> of_node;   ///< (node) component
  std::vector<Rank> part;             ///< (component) part to which it belongs
  std::vector<std::int64_t> n_nodes;  ///< (component) number of nodes
};

/// Returns the components, numbered in the order of their lowest-numbered nodes.
/// @param parts (node) part of each node
Components components_of(const Adjacency& graph, std::span<const Rank> parts);

/// Makes the parts of a connected graph contiguous: each part keeps its largest component, and each other
/// component moves to the part to which it has the largest total edge weight. Components without an edge to
/// another part do not move.
/// @param parts (node) part of each node, 0 to n_parts - 1
void join_components(const Adjacency& graph, int n_parts, std::vector<Rank>& parts);

/// Returns a node of a part whose removal does not disconnect the component to which it belongs: the last
/// node that a breadth-first search from the lowest-numbered node of the part finds.
GlobalIndex removable_node(const Adjacency& graph, std::span<const Rank> parts, Rank part);

/// Returns the nodes of each part, ascending.
std::vector<std::vector<GlobalIndex>> nodes_of_parts(std::span<const Rank> parts, int n_parts);

struct PartitionReport {
  int n_parts = 0;
  std::int64_t least_weight = 0, most_weight = 0;  ///< smallest, largest sum of node weights of a part
  double mean_weight = 0;
  double imbalance = 1;       ///< largest over mean weight
  std::int64_t edge_cut = 0;  ///< weight of the edges between parts, each counted once
  int n_empty = 0;            ///< parts without a node
  int n_split = 0;            ///< parts with more than one component
};

/// @param parts (node) part of each node, 0 to n_parts - 1
/// @throws InputError for a wrong number of entries, or parts outside this range
PartitionReport partition_report(const Adjacency& graph, std::span<const Rank> parts, int n_parts);

/// Returns the sum of the weights of the edges between different parts, each edge counted once.
std::int64_t edge_cut(const Adjacency& graph, std::span<const Rank> parts);

}  // namespace halcyon::graph
