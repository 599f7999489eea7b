#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/methods/round.hpp"

namespace halcyon::comm {
namespace {

#if MPI_VERSION >= 4
constexpr bool kHasPersistentCollectives = true;
template <class... Arguments>
int alltoallv_init(Arguments... arguments) {
  return MPI_Neighbor_alltoallv_init(arguments...);
}
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
constexpr bool kHasPersistentCollectives = true;
template <class... Arguments>
int alltoallv_init(Arguments... arguments) {
  return MPIX_Neighbor_alltoallv_init(arguments...);
}
#else
constexpr bool kHasPersistentCollectives = false;
template <class... Arguments>
int alltoallv_init(Arguments...) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif

/// Distributed graph communicator: the neighbours of a rank are all ranks that are its peers in any round.
class GraphCommunicator {
 public:
  /// Collective.
  GraphCommunicator(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
    std::set<Rank> all_sources, all_destinations;
    for (const auto& round : rounds) {
      for (const auto& message : round.receives) all_sources.insert(message.peer);
      for (const auto& message : round.sends) all_destinations.insert(message.peer);
    }
    sources.assign(all_sources.begin(), all_sources.end());
    destinations.assign(all_destinations.begin(), all_destinations.end());
    check(MPI_Dist_graph_create_adjacent(comm.get(), static_cast<int>(sources.size()), sources.data(),
                                         MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                         destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                         /*reorder=*/0, &comm_),
          "MPI_Dist_graph_create_adjacent");
  }
  GraphCommunicator(const GraphCommunicator&) = delete;
  GraphCommunicator& operator=(const GraphCommunicator&) = delete;
  ~GraphCommunicator() {
    if (is_mpi_active()) MPI_Comm_free(&comm_);
  }

  MPI_Comm get() const { return comm_; }

  std::vector<Rank> sources, destinations;  ///< ascending

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using SharedGraph = std::shared_ptr<const GraphCommunicator>;

class Neighborhood : public CollectiveRound {
 public:
  Neighborhood(SharedGraph graph, const RoundMessages& messages)
      : CollectiveRound(messages, graph->destinations, graph->sources), graph_(std::move(graph)) {}

 protected:
  SharedGraph graph_;
};

class Blocking final : public Neighborhood {
 public:
  using Neighborhood::Neighborhood;
  void start(BufferSpans buffers) override {
    check(call(MPI_Neighbor_alltoallv, buffers, graph_->get()), "MPI_Neighbor_alltoallv");
  }
};

class Nonblocking final : public Neighborhood {
 public:
  using Neighborhood::Neighborhood;
  void start(BufferSpans buffers) override {
    check(call(MPI_Ineighbor_alltoallv, buffers, graph_->get(), &request_), "MPI_Ineighbor_alltoallv");
  }
};

/// Creating a persistent request is collective, but the addresses of fields may change on some ranks only. So
/// the request has separate buffers, and messages are copied into and out of these.
class Persistent final : public Neighborhood {
 public:
  Persistent(SharedGraph graph, const RoundMessages& messages)
      : Neighborhood(std::move(graph), messages),
        send_buffer_(send_.extent_bytes()),
        receive_buffer_(receive_.extent_bytes()) {
    const auto init = [](auto... arguments) { return alltoallv_init(arguments...); };
    check(call(init, send_buffer_.data(), receive_buffer_.data(), graph_->get(), MPI_INFO_NULL, &request_),
          "MPI_Neighbor_alltoallv_init");
  }
  ~Persistent() override {
    if (request_ != MPI_REQUEST_NULL && is_mpi_active()) MPI_Request_free(&request_);
  }

  void start(BufferSpans buffers) override {
    target_ = receive_.base(buffers);
    send_.copy(send_.base(buffers), send_buffer_.data());
    check(MPI_Start(&request_), "MPI_Start");
  }

  void wait() override {
    Neighborhood::wait();
    receive_.copy(receive_buffer_.data(), target_);
  }

 private:
  std::vector<std::byte> send_buffer_, receive_buffer_;
  std::byte* target_ = nullptr;  ///< base address of the received messages in the caller's buffer
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, Program& program, const std::vector<schedule::Buffer>&) {
  require_collective_rounds(comm, program);
  const auto graph = std::make_shared<GraphCommunicator>(comm, program.rounds);
  Rounds rounds;
  for (const auto& round : program.rounds) rounds.push_back(std::make_unique<Kind>(graph, round));
  return rounds;
}

Rounds persistent_rounds(const Communicator& comm, Program& program,
                         const std::vector<schedule::Buffer>& buffers) {
  require<ConfigError>(kHasPersistentCollectives,
                       "The MPI library that Halcyon was built with has no persistent neighbourhood "
                       "collectives (MPI 4, or the extension of Open MPI 4.1). Use persistent or ineighbor.");
  return rounds_of<Persistent>(comm, program, buffers);
}

}  // namespace

MethodEntry neighbor() {
  return {{.name = "neighbor",
           .text = "MPI_Neighbor_alltoallv on MPI_Dist_graph_create_adjacent",
           .traits = {"halos_only"}},
          {.collective = true},
          rounds_of<Blocking>};
}

MethodEntry ineighbor() {
  return {{.name = "ineighbor", .text = "MPI_Ineighbor_alltoallv on the same graph as neighbor"},
          {.overlaps = true, .collective = true},
          rounds_of<Nonblocking>};
}

MethodEntry neighbor_persistent() {
  return {{.name = "neighbor_persistent",
           .text = "MPI_Neighbor_alltoallv_init of MPI 4, or MPIX_Neighbor_alltoallv_init of Open MPI 4.1",
           .traits = {"halos_only"}},
          {.overlaps = true, .collective = true},
          persistent_rounds};
}

}  // namespace halcyon::comm
