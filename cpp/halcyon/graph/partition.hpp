#pragma once

#include <array>
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

}  // namespace halcyon::graph
