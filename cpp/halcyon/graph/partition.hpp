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

/// How a graph is cut.
struct PartitionOptions {
  PartitionMethod method = PartitionMethod::kway;
  int seed = 1;             ///< of METIS' random choices
  bool contiguous = false;  ///< whether each part must be in one piece
};

/// Cuts a graph into parts of nearly equal weight with few or light cut edges (METIS; Karypis and Kumar 1998,
/// SIAM J. Sci. Comput. 20, 359-392). No part is ever empty, and the same call gives the same answer on every
/// rank.
/// @returns the part of each node
/// @throws ConfigError where there are more parts than nodes, or fewer than one, where parts must be in one
/// piece but the graph is not, and where its weights are too large for METIS
std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options = {});

/// Cuts a graph among computers of `ranks_per_node` ranks each, and what each has among its ranks, so that
/// most cut edges lie within a computer. Ranks of one are consecutive; the last may have fewer. A contiguous
/// rank may yet be in pieces where METIS gave its computer fewer nodes than ranks.
/// @returns the rank of each node of the graph
/// @throws ConfigError as `partition`, and where there is no rank a computer
std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options = {});

/// The pieces of the parts of a graph: nodes of one part that edges within it join.
struct Pieces {
  std::vector<GlobalIndex> of_node;   ///< (node) its piece
  std::vector<Rank> part;             ///< (piece)
  std::vector<std::int64_t> n_nodes;  ///< (piece)
};

/// Pieces are numbered by their smallest node.
/// @param parts (node)
Pieces pieces_of(const Adjacency& graph, std::span<const Rank> parts);

/// Leaves each part its largest piece and gives the others to the parts that they are most strongly linked
/// to, so that in a connected graph every part is in one piece. What no edge joins to another part stays.
/// @param parts (node) from 0 to n_parts - 1
void join_pieces(const Adjacency& graph, int n_parts, std::vector<Rank>& parts);

/// A node of a part whose first piece stays in one piece without it: that which a search from its smallest
/// node finds last.
GlobalIndex end_of_part(const Adjacency& graph, std::span<const Rank> parts, Rank part);

/// The nodes of each part, ascending.
std::vector<std::vector<GlobalIndex>> nodes_of_parts(std::span<const Rank> parts, int n_parts);

/// What a partition is like.
struct PartitionReport {
  int n_parts = 0;
  std::int64_t least_weight = 0, most_weight = 0;  ///< of a part: its nodes, or what they weigh
  double mean_weight = 0;
  double imbalance = 1;       ///< most over mean
  std::int64_t edge_cut = 0;  ///< edges between parts, each counted once, or what they weigh
  int n_empty = 0;            ///< parts without a node
  int n_split = 0;            ///< parts in more than one piece
};

/// @param parts (node) from 0 to n_parts - 1
/// @throws InputError where there are more or fewer entries than nodes, or other parts
PartitionReport partition_report(const Adjacency& graph, std::span<const Rank> parts, int n_parts);

/// The number of edges between nodes of different parts, or their weight, each counted once.
std::int64_t edge_cut(const Adjacency& graph, std::span<const Rank> parts);

}  // namespace halcyon::graph
