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

  std::int64_t n_nodes() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const GlobalIndex> operator[](GlobalIndex node) const {
    return std::span(neighbours).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// Builds an adjacency from lists in which a negative neighbour means none.
/// @throws InputError where a neighbour is not a node
Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours);

}  // namespace halcyon::graph
