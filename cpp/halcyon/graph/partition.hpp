#pragma once

#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"

namespace halcyon::graph {

enum class PartitionMethod { kway, recursive };

/// Cuts a graph into parts of nearly equal size with few cut edges (METIS; Karypis and Kumar 1998).
/// No part is ever empty, and the same call gives the same answer on every rank.
/// @returns the part of each node
/// @throws ConfigError where there are more parts than nodes, or fewer than one
std::vector<Rank> partition(const Adjacency& adjacency, int n_parts, PartitionMethod method, int seed);

/// The number of edges between nodes of different parts, each counted once.
std::int64_t edge_cut(const Adjacency& adjacency, const std::vector<Rank>& parts);

}  // namespace halcyon::graph
