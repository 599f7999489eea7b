#include "halcyon/graph/adjacency.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::graph {

Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours) {
  Adjacency result;
  const auto n_nodes = static_cast<std::int64_t>(offsets.size()) - 1;
  result.offsets.reserve(offsets.size());
  result.neighbours.reserve(neighbours.size());
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    for (auto i = offsets[node]; i < offsets[node + 1]; ++i) {
      require<InputError>(neighbours[i] < n_nodes,
                          "Node {} has the neighbour {}, but there are only {} nodes.", node, neighbours[i],
                          n_nodes);
      if (neighbours[i] >= 0) result.neighbours.push_back(neighbours[i]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
  }
  return result;
}

}  // namespace halcyon::graph
