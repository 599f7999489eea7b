#include "halcyon/comm/methods/graph_communicator.hpp"

#include <set>

namespace halcyon::comm {

GraphCommunicator::GraphCommunicator(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  std::set<Rank> from, to;
  for (const auto& round : rounds) {
    for (const auto& m : round.receives) from.insert(m.peer);
    for (const auto& m : round.sends) to.insert(m.peer);
  }
  sources_.assign(from.begin(), from.end());
  destinations_.assign(to.begin(), to.end());
  check(MPI_Dist_graph_create_adjacent(comm.get(), static_cast<int>(sources_.size()), sources_.data(),
                                       MPI_UNWEIGHTED, static_cast<int>(destinations_.size()),
                                       destinations_.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_),
        "MPI_Dist_graph_create_adjacent");
}

GraphCommunicator::~GraphCommunicator() {
  if (mpi_runs()) MPI_Comm_free(&comm_);
}

}  // namespace halcyon::comm
