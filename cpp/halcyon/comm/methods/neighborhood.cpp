#include "halcyon/comm/methods/neighborhood.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/methods/collective.hpp"
#include "halcyon/comm/methods/graph_communicator.hpp"

namespace halcyon::comm {

namespace {

#if MPI_VERSION >= 4
constexpr bool kHasPersistent = true;
template <class... Arguments>
int alltoallv_init(Arguments... arguments) {
  return MPI_Neighbor_alltoallv_init(arguments...);
}
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
constexpr bool kHasPersistent = true;
template <class... Arguments>
int alltoallv_init(Arguments... arguments) {
  return MPIX_Neighbor_alltoallv_init(arguments...);
}
#else
constexpr bool kHasPersistent = false;
template <class... Arguments>
int alltoallv_init(Arguments...) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif

using GraphPointer = std::shared_ptr<const GraphCommunicator>;

/// What the rounds of the three methods have in common.
class Neighborhood : public Round {
 public:
  Neighborhood(GraphPointer graph, const RoundMessages& messages)
      : graph_(std::move(graph)),
        send_(messages.sends, graph_->destinations()),
        receive_(messages.receives, graph_->sources()) {}

  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }
  bool test() override { return has_ended(request_); }

 protected:
  GraphPointer graph_;
  CollectiveSide send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Blocking final : public Neighborhood {
 public:
  using Neighborhood::Neighborhood;
  void start(BufferSpans buffers) override {
    check(MPI_Neighbor_alltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(), send_.type(),
                                 receive_.base(buffers), receive_.counts.data(), receive_.places.data(),
                                 receive_.type(), graph_->get()),
          "MPI_Neighbor_alltoallv");
  }
};

class Nonblocking final : public Neighborhood {
 public:
  using Neighborhood::Neighborhood;
  void start(BufferSpans buffers) override {
    check(MPI_Ineighbor_alltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(), send_.type(),
                                  receive_.base(buffers), receive_.counts.data(), receive_.places.data(),
                                  receive_.type(), graph_->get(), &request_),
          "MPI_Ineighbor_alltoallv");
  }
};

/// Making the request is collective, and addresses that change may change on some ranks only: the request is
/// bound to memory of its own, and messages are copied in and out.
class Persistent final : public Neighborhood {
 public:
  Persistent(GraphPointer graph, const RoundMessages& messages)
      : Neighborhood(std::move(graph), messages),
        outbox_(send_.extent_bytes()),
        inbox_(receive_.extent_bytes()) {
    check(alltoallv_init(outbox_.data(), send_.counts.data(), send_.places.data(), send_.type(),
                         inbox_.data(), receive_.counts.data(), receive_.places.data(), receive_.type(),
                         graph_->get(), MPI_INFO_NULL, &request_),
          "MPI_Neighbor_alltoallv_init");
  }
  ~Persistent() override {
    if (request_ != MPI_REQUEST_NULL && mpi_runs()) MPI_Request_free(&request_);
  }

  void start(BufferSpans buffers) override {
    target_ = receive_.base(buffers);
    send_.copy(send_.base(buffers), outbox_.data());
    check(MPI_Start(&request_), "MPI_Start");
  }

  void wait() override {
    Neighborhood::wait();
    receive_.copy(inbox_.data(), target_);
  }

 private:
  std::vector<std::byte> outbox_, inbox_;
  std::byte* target_ = nullptr;
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, const Program& program) {
  require_collectives(comm, program);
  const auto graph = std::make_shared<GraphCommunicator>(comm, program.rounds);
  Rounds made;
  for (const auto& round : program.rounds) made.push_back(std::make_unique<Kind>(graph, round));
  return made;
}

}  // namespace

Rounds neighborhood_rounds(const Communicator& comm, Method method, const Program& program) {
  if (method == Method::neighbor) return rounds_of<Blocking>(comm, program);
  if (method == Method::ineighbor) return rounds_of<Nonblocking>(comm, program);
  require<ConfigError>(kHasPersistent,
                       "The MPI that Halcyon was built with has no persistent neighbourhood collectives "
                       "(MPI 4, or Open MPI 4.1's extension). Use persistent or ineighbor.");
  return rounds_of<Persistent>(comm, program);
}

}  // namespace halcyon::comm
