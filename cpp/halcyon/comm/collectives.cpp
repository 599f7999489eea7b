#include "halcyon/comm/collectives.hpp"

#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

/// Takes a list that has come, if one has.
bool take_one(const Communicator& comm, int tag, ListsByRank& arrived) {
  int there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.get(), &there, &status), "MPI_Iprobe");
  if (!there) return false;
  int count = 0;
  check(MPI_Get_count(&status, MPI_INT64_T, &count), "MPI_Get_count");
  auto& list = arrived[status.MPI_SOURCE];
  list.resize(count);
  check(MPI_Recv(list.data(), count, MPI_INT64_T, status.MPI_SOURCE, tag, comm.get(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  return true;
}

}  // namespace

ListsByRank sparse_exchange(const Communicator& comm, const ListsByRank& lists) {
  const auto tag = comm.new_tag();
  std::vector<MPI_Request> sends;
  for (const auto& [rank, list] : lists) {
    require<RunError>(std::ssize(list) <= std::numeric_limits<int>::max(),
                      "A list of {} numbers is beyond MPI's 32-bit counts.", list.size());
    check(MPI_Issend(list.data(), static_cast<int>(list.size()), MPI_INT64_T, rank, tag.number(), comm.get(),
                     &sends.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Issend");
  }
  ListsByRank arrived;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int done = 0, all_taken = 0; !done;) {
    if (!take_one(comm, tag.number(), arrived)) std::this_thread::yield();
    if (all_taken) {
      check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      continue;
    }
    check(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &all_taken, MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (all_taken) check(MPI_Ibarrier(comm.get(), &barrier), "MPI_Ibarrier");
  }
  return arrived;
}

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
