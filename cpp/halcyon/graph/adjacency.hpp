#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::graph {

/// Who touches whom: the neighbours of node i are neighbours[offsets[i] .. offsets[i + 1]].
struct Adjacency {
  std::vector<std::int64_t> offsets{0};
  std::vector<GlobalIndex> neighbours;
  std::vector<std::int64_t> node_weights{};  ///< (node); all 1 where empty
  std::vector<std::int64_t> edge_weights{};  ///< beside `neighbours`; all 1 where empty

  std::int64_t n_nodes() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t node_weight(GlobalIndex node) const { return node_weights.empty() ? 1 : node_weights[node]; }
  /// @param at a place in `neighbours`
  std::int64_t edge_weight(std::int64_t at) const { return edge_weights.empty() ? 1 : edge_weights[at]; }
  std::span<const GlobalIndex> operator[](GlobalIndex node) const {
    return std::span(neighbours).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// The same on lists that somebody else owns, such as the cells on cell of a mesh; a negative neighbour means
/// none.
struct NeighbourLists {
  std::span<const LocalIndex> offsets, neighbours;

  LocalIndex n_nodes() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const LocalIndex> operator[](LocalIndex node) const {
    return neighbours.subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// @throws InputError unless the offsets ascend from 0 to the number of neighbours, and all these are nodes
void require_valid(const NeighbourLists& lists);

/// What nodes and edges weigh: work a node, traffic an edge. Empty lists stand for all 1.
struct Weights {
  std::span<const std::int64_t> nodes;  ///< (node), 0 or more, not all 0
  std::span<const std::int64_t> edges;  ///< beside the lists' neighbours, 1 or more, the same from both ends
};

/// Builds an adjacency from lists in which a negative neighbour means none.
/// @throws InputError as `require_valid`; ConfigError where weights are too many, too few or too small, or an
/// edge weighs something else from its other end
Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours,
                         const Weights& weights = {});

/// The part of a graph that has the given nodes and the edges between them, with their weights.
/// @param nodes each once
/// @param place (node of the whole graph) its number among `nodes`, or negative
Adjacency subgraph(const Adjacency& whole, std::span<const GlobalIndex> nodes,
                   std::span<const GlobalIndex> place);

}  // namespace halcyon::graph
