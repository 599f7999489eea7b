#include "halcyon/graph/adjacency.hpp"

#include <algorithm>
#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {
namespace {

void require_weights(std::string_view kind, std::span<const std::int64_t> weights, std::size_t n,
                     std::int64_t minimum) {
  if (weights.empty()) return;
  require<ConfigError>(weights.size() == n, "There are {0} {1} weights for {2} {1}s. Give one for each.",
                       weights.size(), kind, n);
  const auto invalid = std::ranges::find_if(weights, [&](std::int64_t weight) { return weight < minimum; });
  require<ConfigError>(invalid == weights.end(), "The {} weight {} is {}. Give whole numbers, at least {}.",
                       kind, invalid - weights.begin(), invalid == weights.end() ? 0 : *invalid, minimum);
}

void require_symmetric_weights(const Adjacency& graph) {
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    for (std::int64_t entry = graph.offsets[node]; entry < graph.offsets[node + 1]; ++entry) {
      const GlobalIndex other = graph.neighbours[entry];
      const auto reverse = std::ranges::find(graph[other], node) - graph[other].begin();
      require<InputError>(reverse < std::ssize(graph[other]),
                          "Node {} has the neighbour {}, but not vice versa.", node, other);
      // Entries of the edge in both directions.
      const auto weight = graph.edge_weights[entry],
                 reverse_weight = graph.edge_weights[graph.offsets[other] + reverse];
      require<ConfigError>(weight == reverse_weight,
                           "The edge from node {} to {} weighs {}, but {} the other way. Give it one weight.",
                           node, other, weight, reverse_weight);
    }
  }
}

}  // namespace

void require_valid(const NeighbourLists& lists) {
  const auto& offsets = lists.offsets;
  require<InputError>(
      !offsets.empty() && offsets.front() == 0 && offsets.back() == std::ssize(lists.neighbours),
      "The offsets of {} neighbours must begin with 0 and end with {}.", lists.neighbours.size(),
      lists.neighbours.size());
  const LocalIndex n_nodes = lists.n_nodes();
  for (LocalIndex node = 0; node < n_nodes; ++node)
    require<InputError>(offsets[node] <= offsets[node + 1], "The offsets of node {} decrease from {} to {}.",
                        node, offsets[node], offsets[node + 1]);
  for (LocalIndex node = 0; node < n_nodes; ++node)
    for (const LocalIndex other : lists[node])
      require<InputError>(other < n_nodes, "Node {} has the neighbour {}, but there are only {} nodes.", node,
                          other, n_nodes);
}

Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours,
                         const Weights& weights) {
  const NeighbourLists lists{offsets, neighbours};
  require_valid(lists);
  require_weights("node", weights.nodes, offsets.size() - 1, 0);
  require_weights("edge", weights.edges, neighbours.size(), 1);
  require<ConfigError>(
      weights.nodes.empty() || std::ranges::any_of(weights.nodes, [](auto w) { return w > 0; }),
      "All node weights are 0. Give at least one node a positive weight.");
  Adjacency result;
  result.node_weights.assign(weights.nodes.begin(), weights.nodes.end());
  result.offsets.reserve(offsets.size());
  result.neighbours.reserve(neighbours.size());
  for (LocalIndex node = 0; node < lists.n_nodes(); ++node) {
    for (LocalIndex entry = offsets[node]; entry < offsets[node + 1]; ++entry) {
      if (neighbours[entry] < 0) continue;
      result.neighbours.push_back(neighbours[entry]);
      if (!weights.edges.empty()) result.edge_weights.push_back(weights.edges[entry]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
  }
  if (!weights.edges.empty()) require_symmetric_weights(result);
  return result;
}

Adjacency subgraph(const Adjacency& whole, std::span<const GlobalIndex> nodes,
                   std::span<const GlobalIndex> index_in_subgraph) {
  Adjacency result;
  for (const GlobalIndex node : nodes) {
    for (std::int64_t entry = whole.offsets[node]; entry < whole.offsets[node + 1]; ++entry) {
      if (index_in_subgraph[whole.neighbours[entry]] < 0) continue;
      result.neighbours.push_back(index_in_subgraph[whole.neighbours[entry]]);
      if (!whole.edge_weights.empty()) result.edge_weights.push_back(whole.edge_weights[entry]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
    if (!whole.node_weights.empty()) result.node_weights.push_back(whole.node_weights[node]);
  }
  return result;
}

}  // namespace halcyon::graph
