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

/// Builds an adjacency from lists in which a negative neighbour means none.
/// @throws InputError as `require_valid`
Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours);

}  // namespace halcyon::graph
