#include "halcyon/graph/adjacency.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::graph {

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

Adjacency make_adjacency(std::span<const LocalIndex> offsets, std::span<const LocalIndex> neighbours) {
  const NeighbourLists lists{offsets, neighbours};
  require_valid(lists);
  Adjacency result;
  result.offsets.reserve(offsets.size());
  result.neighbours.reserve(neighbours.size());
  for (LocalIndex node = 0; node < lists.n_nodes(); ++node) {
    for (const LocalIndex other : lists[node])
      if (other >= 0) result.neighbours.push_back(other);
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
  }
  return result;
}

}  // namespace halcyon::graph
