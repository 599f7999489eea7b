#include "halcyon/comm/collectives.hpp"

#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {
namespace {

/// Receives one list if one has arrived. @returns whether a list was received
bool receive_one(const Communicator& comm, int tag, ListsByRank& received) {
  int has_arrived = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.get(), &has_arrived, &status), "MPI_Iprobe");
  if (!has_arrived) return false;
  int count = 0;
  check(MPI_Get_count(&status, MPI_INT64_T, &count), "MPI_Get_count");
  auto& list = received[status.MPI_SOURCE];
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
                      "A list of {} numbers exceeds the 32-bit counts of MPI.", list.size());
    check(MPI_Issend(list.data(), static_cast<int>(list.size()), MPI_INT64_T, rank, tag.number(), comm.get(),
                     &sends.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Issend");
  }
  ListsByRank received;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int barrier_done = 0, all_sent = 0; !barrier_done;) {
    if (!receive_one(comm, tag.number(), received)) std::this_thread::yield();
    if (all_sent) {
      check(MPI_Test(&barrier, &barrier_done, MPI_STATUS_IGNORE), "MPI_Test");
      continue;
    }
    check(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &all_sent, MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (all_sent) check(MPI_Ibarrier(comm.get(), &barrier), "MPI_Ibarrier");
  }
  return received;
}

namespace {

void check_neighbours(const Communicator& comm, std::span<const WeightedNeighbour> neighbours) {
  std::set<Rank> checked;
  for (const auto& [rank, weight] : neighbours) {
    require<ConfigError>(rank >= 0 && rank < comm.size(),
                         "Rank {} gives rank {} as its neighbour, but there are {} ranks.", comm.rank(), rank,
                         comm.size());
    require<ConfigError>(weight >= 0, "Rank {} gives its neighbour {} the weight {}. Use 0 or more.",
                         comm.rank(), rank, weight);
    require<ConfigError>(checked.insert(rank).second,
                         "Rank {} gives its neighbour {} twice. Give it once, with the sum of the weights.",
                         comm.rank(), rank);
  }
}

}  // namespace

Communicator reorder_ranks(const Communicator& comm, std::span<const WeightedNeighbour> neighbours) {
  comm.agree([&] { check_neighbours(comm, neighbours); });
  std::vector<int> ranks, weights;
  for (const auto& [rank, weight] : neighbours) {
    ranks.push_back(rank);
    weights.push_back(weight);
  }
  ranks.reserve(1);  // Open MPI rejects null pointers
  weights.reserve(1);
  const auto n_neighbours = static_cast<int>(neighbours.size());
  MPI_Comm graph = MPI_COMM_NULL;
  check(MPI_Dist_graph_create_adjacent(comm.get(), n_neighbours, ranks.data(), weights.data(), n_neighbours,
                                       ranks.data(), weights.data(), MPI_INFO_NULL, /*reorder=*/1, &graph),
        "MPI_Dist_graph_create_adjacent");
  const Communicator result(graph);
  check(MPI_Comm_free(&graph), "MPI_Comm_free");
  return result;
}

}  // namespace halcyon::comm
