#include "halcyon/comm/methods/reordered.hpp"

#include <set>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

void check_neighbours(const Communicator& comm, std::span<const WeightedNeighbour> neighbours) {
  std::set<Rank> named;
  for (const auto& [rank, weight] : neighbours) {
    require<ConfigError>(rank >= 0 && rank < comm.size(),
                         "Rank {} names rank {} as its neighbour, and there are {} ranks.", comm.rank(), rank,
                         comm.size());
    require<ConfigError>(weight >= 0, "Rank {} gives its neighbour {} the weight {}. Use 0 or more.",
                         comm.rank(), rank, weight);
    require<ConfigError>(named.insert(rank).second,
                         "Rank {} names its neighbour {} twice. Add up the weights.", comm.rank(), rank);
  }
}

}  // namespace

Communicator reordered(const Communicator& comm, std::span<const WeightedNeighbour> neighbours) {
  comm.agree([&] { check_neighbours(comm, neighbours); });
  std::vector<int> ranks, weights;
  for (const auto& [rank, weight] : neighbours) {
    ranks.push_back(rank);
    weights.push_back(weight);
  }
  ranks.reserve(1);  // Open MPI refuses null
  weights.reserve(1);
  const auto n = static_cast<int>(neighbours.size());
  MPI_Comm graph = MPI_COMM_NULL;
  check(MPI_Dist_graph_create_adjacent(comm.get(), n, ranks.data(), weights.data(), n, ranks.data(),
                                       weights.data(), MPI_INFO_NULL, 1, &graph),
        "MPI_Dist_graph_create_adjacent");
  const Communicator made(graph);
  check(MPI_Comm_free(&graph), "MPI_Comm_free");
  return made;
}

}  // namespace halcyon::comm
