#pragma once

#include <mpi.h>

#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/program.hpp"

namespace halcyon::comm {

/// A communicator with the distributed graph of all rounds, shared by them.
class GraphCommunicator {
 public:
  /// Collective.
  GraphCommunicator(const Communicator& comm, const std::vector<RoundMessages>& rounds);
  GraphCommunicator(const GraphCommunicator&) = delete;
  GraphCommunicator& operator=(const GraphCommunicator&) = delete;
  ~GraphCommunicator();

  MPI_Comm get() const { return comm_; }
  const std::vector<Rank>& sources() const { return sources_; }
  const std::vector<Rank>& destinations() const { return destinations_; }

 private:
  std::vector<Rank> sources_, destinations_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace halcyon::comm
