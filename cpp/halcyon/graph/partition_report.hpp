#pragma once

#include <cstdint>
#include <span>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

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
