#include "halcyon/comm/neighborhood.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstring>
#include <set>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/graph_communicator.hpp"
#include "halcyon/comm/pairs.hpp"
#include "halcyon/comm/units.hpp"

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

/// One side of a neighbourhood collective: counts and places in units, one a neighbour of the graph.
class Side {
 public:
  Side(const std::vector<Message>& messages, const std::vector<Rank>& peers)
      : counts(peers.size(), 0), places(peers.size(), 0), units_(messages) {
    counts.reserve(1);  // Open MPI refuses null, also where nobody is near
    places.reserve(1);
    if (!messages.empty()) buffer_ = messages.front().block.buffer;
    for (const auto& message : messages) {
      const auto at = std::ranges::lower_bound(peers, message.peer) - peers.begin();
      counts[at] = units_.size(message);
      places[at] = units_.place(message);
      ranges_.push_back(message.block);
    }
  }
  MPI_Datatype type() const { return units_.type(); }
  std::byte* base(BufferSpans buffers) const { return buffers[buffer_].data(); }

  std::int64_t end_bytes() const {
    std::int64_t end = 0;
    for (const auto& block : ranges_) end = std::max(end, block.offset_bytes + block.size_bytes);
    return end;
  }
  /// The messages alone: what lies between them is not theirs.
  void copy(const std::byte* from, std::byte* to) const {
    for (const auto& block : ranges_) {
      if (block.size_bytes > 0) {
        std::memcpy(to + block.offset_bytes, from + block.offset_bytes, block.size_bytes);
      }
    }
  }

  std::vector<int> counts, places;

 private:
  Units units_;
  std::int32_t buffer_ = 0;
  std::vector<schedule::Block> ranges_;
};

/// What the rounds of the three methods have in common.
class Neighborhood : public Round {
 public:
  Neighborhood(GraphPointer graph, const RoundMessages& messages)
      : graph_(std::move(graph)),
        send_(messages.sends, graph_->destinations()),
        receive_(messages.receives, graph_->sources()) {}

  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 protected:
  GraphPointer graph_;
  Side send_, receive_;
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
      : Neighborhood(std::move(graph), messages), outbox_(send_.end_bytes()), inbox_(receive_.end_bytes()) {
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

bool one_buffer(const std::vector<Message>& messages) {
  return std::ranges::all_of(messages,
                             [&](const auto& m) { return m.block.buffer == messages.front().block.buffer; });
}

bool one_message_a_peer(const std::vector<Message>& messages) {
  std::set<Rank> peers;
  return std::ranges::all_of(messages, [&](const auto& m) { return peers.insert(m.peer).second; });
}

bool fits_a_collective(const RoundMessages& round) {
  return one_buffer(round.sends) && one_buffer(round.receives) && one_message_a_peer(round.sends) &&
         one_message_a_peer(round.receives);
}

void require_collectives(const Communicator& comm, const Program& program) {
  const auto n_rounds = std::ssize(program.rounds);
  require<ConfigError>(
      comm.min(n_rounds) == comm.max(n_rounds),
      "Ranks start different numbers of rounds, so a neighbourhood collective cannot carry this "
      "schedule. Use isend_irecv.");
  require<ConfigError>(comm.min(both_ends_in_one_round(comm, program.rounds)) == 1,
                       "A neighbourhood collective needs both ends of a message in one round, and in this "
                       "schedule they are not. Use isend_irecv.");
  require<ConfigError>(
      comm.min(std::ranges::all_of(program.rounds, fits_a_collective)) == 1,
      "A neighbourhood collective needs one message a pair of ranks and round, and one buffer on each "
      "side. Use isend_irecv.");
}

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
