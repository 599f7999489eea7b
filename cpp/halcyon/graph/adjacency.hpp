#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::graph {

/// An undirected graph: the neighbours of node i are neighbours[offsets[i] .. offsets[i + 1] - 1].
struct Adjacency {
  std::vector<std::int64_t> offsets{0};
  std::vector<GlobalIndex> neighbours;
  std::vector<std::int64_t> node_weights{};  ///< (node); empty: all 1
  std::vector<std::int64_t> edge_weights{};  ///< (entry of `neighbours`); empty: all 1

  std::int64_t n_nodes() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t node_weight(GlobalIndex node) const { return node_weights.empty() ? 1 : node_weights[node]; }
  /// @param entry index in `neighbours`
  std::int64_t edge_weight(std::int64_t entry) const {
    return edge_weights.empty() ? 1 : edge_weights[entry];
  }
  std::span<const GlobalIndex> operator[](GlobalIndex node) const {
    return std::span(neighbours).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// A non-owning view of adjacency lists, such as `cells_on_cell` of a mesh. Negative entries are ignored.
struct NeighbourLists {
  std::span<const LocalIndex> offsets, neighbours;

  LocalIndex n_nodes() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
  std::span<const LocalIndex> operator[](LocalIndex node) const {
    return neighbours.subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// Checks that the offsets ascend from 0 to the number of neighbours, and that all neighbours are nodes.
/// @throws InputError if not
void require_valid(const NeighbourLists& lists);

/// Weights of nodes (work) and edges (communication). Empty lists mean weights of 1.
struct Weights {
  std::span<const std::int64_t> nodes;  ///< (node), 0 or more, not all 0
  std::span<const std::int64_t> edges;  ///< (entry of `neighbours`), 1 or more, equal in both directions
};

/// Builds a graph from lists; negative neighbours are left out, with their weights.
/// @throws InputError as `require_valid`; ConfigError for a wrong number of weights, weights that are too
/// small, and edges with different weights in the two directions
Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours,
                         const Weights& weights = {});

/// Returns the subgraph of the given nodes and the edges between them, with their weights.
/// @param nodes without duplicates
/// @param index_in_subgraph (node of the whole graph) its index in `nodes`, or negative
Adjacency subgraph(const Adjacency& whole, std::span<const GlobalIndex> nodes,
                   std::span<const GlobalIndex> index_in_subgraph);

}  // namespace halcyon::graph
