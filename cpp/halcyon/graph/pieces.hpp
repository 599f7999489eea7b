#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

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
