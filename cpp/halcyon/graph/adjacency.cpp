#include "halcyon/graph/adjacency.hpp"

#include <algorithm>
#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {
namespace {

void require_weights(std::string_view what, std::span<const std::int64_t> weights, std::size_t n,
                     std::int64_t least) {
  if (weights.empty()) return;
  require<ConfigError>(weights.size() == n, "There are {0} {1} weights for {2} {1}s. Give one for each.",
                       weights.size(), what, n);
  const auto low = std::ranges::find_if(weights, [&](std::int64_t weight) { return weight < least; });
  require<ConfigError>(low == weights.end(), "The {} weight {} is {}. Give whole numbers from {} on.", what,
                       low - weights.begin(), low == weights.end() ? 0 : *low, least);
}

void require_same_from_both_ends(const Adjacency& graph) {
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    for (std::int64_t at = graph.offsets[node]; at < graph.offsets[node + 1]; ++at) {
      const GlobalIndex other = graph.neighbours[at];
      const auto back = std::ranges::find(graph[other], node) - graph[other].begin();
      require<InputError>(back < std::ssize(graph[other]),
                          "Node {} has the neighbour {}, but not the reverse.", node, other);
      const auto weight = graph.edge_weights[at], other_way = graph.edge_weights[graph.offsets[other] + back];
      require<ConfigError>(weight == other_way,
                           "The edge from node {} to {} weighs {}, but {} the other way. Give it one weight.",
                           node, other, weight, other_way);
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
    require<InputError>(offsets[node] <= offsets[node + 1],
                        "The offsets of node {} run backwards, from {} to {}.", node, offsets[node],
                        offsets[node + 1]);
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
      "All nodes weigh 0. Give some of them work.");
  Adjacency result;
  result.node_weights.assign(weights.nodes.begin(), weights.nodes.end());
  result.offsets.reserve(offsets.size());
  result.neighbours.reserve(neighbours.size());
  for (LocalIndex node = 0; node < lists.n_nodes(); ++node) {
    for (LocalIndex at = offsets[node]; at < offsets[node + 1]; ++at) {
      if (neighbours[at] < 0) continue;
      result.neighbours.push_back(neighbours[at]);
      if (!weights.edges.empty()) result.edge_weights.push_back(weights.edges[at]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
  }
  if (!weights.edges.empty()) require_same_from_both_ends(result);
  return result;
}

Adjacency subgraph(const Adjacency& whole, std::span<const GlobalIndex> nodes,
                   std::span<const GlobalIndex> place) {
  Adjacency part;
  for (const GlobalIndex node : nodes) {
    for (std::int64_t at = whole.offsets[node]; at < whole.offsets[node + 1]; ++at) {
      if (place[whole.neighbours[at]] < 0) continue;
      part.neighbours.push_back(place[whole.neighbours[at]]);
      if (!whole.edge_weights.empty()) part.edge_weights.push_back(whole.edge_weights[at]);
    }
    part.offsets.push_back(static_cast<std::int64_t>(part.neighbours.size()));
    if (!whole.node_weights.empty()) part.node_weights.push_back(whole.node_weights[node]);
  }
  return part;
}

}  // namespace halcyon::graph
