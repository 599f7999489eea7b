#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/graph/adjacency.hpp"
#include "halcyon/graph/partition.hpp"

namespace halcyon::graph {

/// The parts that METIS makes of a graph (Karypis and Kumar 1998); some may be empty or in several pieces.
/// Signals are handled afterwards as they were before.
/// @param shares (part) of the weight, in relation to each other; two parts or more
/// @returns the part of each node
/// @throws InputError where the graph, and ConfigError where its weights are too large for METIS' indices
std::vector<Rank> metis_parts(const Adjacency& graph, std::span<const int> shares,
                              const PartitionOptions& options);

}  // namespace halcyon::graph
