#include "halcyon/graph/partition.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/metis.hpp"
#include "halcyon/graph/pieces.hpp"

namespace halcyon::graph {
namespace {

/// METIS may leave too few nodes to a part when parts are nearly as many as nodes: the part with most to
/// spare gives it some, from an end, so that it stays in one piece.
/// @param least (part) the number of nodes that it must have
void fill_parts(const Adjacency& graph, std::span<const int> least, std::vector<Rank>& parts) {
  std::vector<std::int64_t> spare(least.size());
  std::ranges::transform(least, spare.begin(), [](int nodes) { return -nodes; });
  for (const Rank part : parts) ++spare[part];
  for (std::size_t part = 0; part < least.size(); ++part) {
    while (spare[part] < 0) {
      const auto giver = static_cast<Rank>(std::ranges::max_element(spare) - spare.begin());
      parts[end_of_part(graph, parts, giver)] = static_cast<Rank>(part);
      --spare[giver];
      ++spare[part];
    }
  }
}

std::size_t n_pieces(const Adjacency& graph) {
  return pieces_of(graph, std::vector<Rank>(graph.n_nodes(), 0)).part.size();
}

/// @param ranks (part) that share it: so many times the weight, and at least so many nodes
std::vector<Rank> parts_for(const Adjacency& graph, std::span<const int> ranks, PartitionOptions options) {
  if (ranks.size() == 1) return std::vector<Rank>(graph.n_nodes(), 0);
  const bool joined = options.contiguous;
  options.contiguous = joined && n_pieces(graph) == 1;  // METIS refuses others
  auto parts = metis_parts(graph, ranks, options);
  if (joined) join_pieces(graph, static_cast<int>(ranks.size()), parts);
  fill_parts(graph, ranks, parts);
  return parts;
}

void require_possible(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  const auto n_nodes = graph.n_nodes();
  require<ConfigError>(n_parts >= 1, "A partition needs at least 1 part, not {}.", n_parts);
  require<ConfigError>(
      n_parts <= n_nodes,
      "The run has {} ranks but the mesh only {} cells. Start at most {} ranks, or take a finer mesh.",
      n_parts, n_nodes, n_nodes);
  const auto pieces = options.contiguous ? n_pieces(graph) : 1;
  require<ConfigError>(
      pieces == 1, "Parts must be contiguous, but the graph itself is in {} pieces. Leave out contiguous.",
      pieces);
}

}  // namespace

PartitionMethod partition_method_named(std::string_view name) {
  if (name == "kway") return PartitionMethod::kway;
  require<ConfigError>(name == "recursive", "There is no partition method '{}'. Use kway or recursive.",
                       name);
  return PartitionMethod::recursive;
}

std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  require_possible(graph, n_parts, options);
  return parts_for(graph, std::vector<int>(n_parts, 1), options);
}

std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options) {
  require_possible(graph, n_ranks, options);
  require<ConfigError>(ranks_per_node >= 1, "A computer needs at least 1 rank, not {}.", ranks_per_node);
  std::vector<int> ranks((n_ranks - 1) / ranks_per_node + 1, ranks_per_node);
  ranks.back() = n_ranks - static_cast<int>(ranks.size() - 1) * ranks_per_node;
  auto owners = parts_for(graph, ranks, options);
  const auto nodes = nodes_of_parts(owners, static_cast<int>(ranks.size()));
  std::vector<GlobalIndex> place(graph.n_nodes(), -1);
  for (std::size_t computer = 0; computer < ranks.size(); ++computer) {
    const auto& own = nodes[computer];
    for (std::size_t i = 0; i < own.size(); ++i) place[own[i]] = static_cast<GlobalIndex>(i);
    const auto inner = parts_for(subgraph(graph, own, place), std::vector<int>(ranks[computer], 1), options);
    for (const GlobalIndex node : own) {
      owners[node] = static_cast<Rank>(computer) * ranks_per_node + inner[place[node]];
      place[node] = -1;
    }
  }
  return owners;
}

}  // namespace halcyon::graph
