#include "halcyon/comm/round.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

/// An MPI datatype of `bytes` bytes, freed at the end of its life.
class ByteType {
 public:
  explicit ByteType(std::int64_t bytes) {
    require<ConfigError>(bytes <= std::numeric_limits<int>::max(),
                         "An item of {} bytes is too large for MPI.", bytes);
    check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ByteType(const ByteType&) = delete;
  ByteType& operator=(const ByteType&) = delete;
  ~ByteType() {
    if (mpi_runs()) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int int_count(std::int64_t count, std::int64_t unit_bytes) {
  require<ConfigError>(
      count <= std::numeric_limits<int>::max(),
      "A message or its place in its buffer, {} items of {} bytes, is beyond MPI's 32-bit counts. "
      "Use more ranks.",
      count, unit_bytes);
  return static_cast<int>(count);
}

/// The largest unit in which every block's size and place can be counted.
std::int64_t common_unit(const std::vector<Message>& messages) {
  std::int64_t unit = 0;
  for (const auto& [peer, block] : messages)
    unit = std::gcd(unit, std::gcd(block.size_bytes, block.offset_bytes));
  return std::max<std::int64_t>(unit, 1);
}

class PointToPoint final : public Round {
 public:
  PointToPoint(const Communicator& comm, RoundMessages messages, int tag)
      : comm_(comm),
        tag_(tag),
        messages_(std::move(messages)),
        receive_unit_(common_unit(messages_.receives)),
        send_unit_(common_unit(messages_.sends)),
        receive_type_(receive_unit_),
        send_type_(send_unit_),
        requests_(messages_.sends.size() + messages_.receives.size(), MPI_REQUEST_NULL) {
    for (const auto& m : messages_.receives) int_count(m.block.size_bytes / receive_unit_, receive_unit_);
    for (const auto& m : messages_.sends) int_count(m.block.size_bytes / send_unit_, send_unit_);
  }

  void start(BufferSpans buffers) override {
    auto request = requests_.begin();
    for (const auto& [peer, block] : messages_.receives) {
      check(MPI_Irecv(buffers[block.buffer].data() + block.offset_bytes,
                      static_cast<int>(block.size_bytes / receive_unit_), receive_type_.get(), peer, tag_,
                      comm_.get(), &*request++),
            "MPI_Irecv");
    }
    for (const auto& [peer, block] : messages_.sends) {
      check(MPI_Isend(buffers[block.buffer].data() + block.offset_bytes,
                      static_cast<int>(block.size_bytes / send_unit_), send_type_.get(), peer, tag_,
                      comm_.get(), &*request++),
            "MPI_Isend");
    }
  }

  void wait() override {
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }

 private:
  Communicator comm_;
  int tag_;
  RoundMessages messages_;
  std::int64_t receive_unit_, send_unit_;
  ByteType receive_type_, send_type_;
  std::vector<MPI_Request> requests_;
};

/// A communicator with the distributed graph of all rounds, shared by them.
class GraphCommunicator {
 public:
  GraphCommunicator(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
    std::set<Rank> from, to;
    for (const auto& round : rounds) {
      for (const auto& m : round.receives) from.insert(m.peer);
      for (const auto& m : round.sends) to.insert(m.peer);
    }
    sources.assign(from.begin(), from.end());
    destinations.assign(to.begin(), to.end());
    check(MPI_Dist_graph_create_adjacent(comm.get(), static_cast<int>(sources.size()), sources.data(),
                                         MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                         destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_),
          "MPI_Dist_graph_create_adjacent");
  }
  GraphCommunicator(const GraphCommunicator&) = delete;
  GraphCommunicator& operator=(const GraphCommunicator&) = delete;
  ~GraphCommunicator() {
    if (mpi_runs()) MPI_Comm_free(&comm_);
  }
  MPI_Comm get() const { return comm_; }

  std::vector<Rank> sources, destinations;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// One side of a neighbourhood collective: counts and places in units, one a neighbour of the graph.
struct Side {
  Side(const std::vector<Message>& messages, const std::vector<Rank>& peers)
      : unit(common_unit(messages)), type(unit), counts(peers.size(), 0), places(peers.size(), 0) {
    if (!messages.empty()) buffer = messages.front().block.buffer;
    for (const auto& [peer, block] : messages) {
      const auto at = std::ranges::lower_bound(peers, peer) - peers.begin();
      counts[at] = int_count(block.size_bytes / unit, unit);
      places[at] = int_count(block.offset_bytes / unit, unit);
    }
  }
  std::byte* base(BufferSpans buffers) const { return buffers[buffer].data(); }

  std::int64_t unit;
  ByteType type;
  std::int32_t buffer = 0;
  std::vector<int> counts, places;
};

class NeighborCollective final : public Round {
 public:
  NeighborCollective(std::shared_ptr<GraphCommunicator> graph, const RoundMessages& messages, bool blocking)
      : graph_(std::move(graph)),
        send_(messages.sends, graph_->destinations),
        receive_(messages.receives, graph_->sources),
        blocking_(blocking) {}

  void start(BufferSpans buffers) override {
    if (blocking_) {
      check(MPI_Neighbor_alltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(),
                                   send_.type.get(), receive_.base(buffers), receive_.counts.data(),
                                   receive_.places.data(), receive_.type.get(), graph_->get()),
            "MPI_Neighbor_alltoallv");
    } else {
      check(MPI_Ineighbor_alltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(),
                                    send_.type.get(), receive_.base(buffers), receive_.counts.data(),
                                    receive_.places.data(), receive_.type.get(), graph_->get(), &request_),
            "MPI_Ineighbor_alltoallv");
    }
  }

  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  std::shared_ptr<GraphCommunicator> graph_;
  Side send_, receive_;
  bool blocking_;
  MPI_Request request_ = MPI_REQUEST_NULL;
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

}  // namespace

std::vector<std::unique_ptr<Round>> make_rounds(const Communicator& comm, Method method,
                                                const std::vector<RoundMessages>& rounds) {
  std::vector<std::unique_ptr<Round>> made;
  if (method == Method::isend_irecv) {
    const int tag = comm.new_tag();
    for (const auto& round : rounds) made.push_back(std::make_unique<PointToPoint>(comm, round, tag));
    return made;
  }
  const auto n_rounds = std::ssize(rounds);
  require<ConfigError>(
      comm.min(n_rounds) == comm.max(n_rounds),
      "Ranks start different numbers of rounds, so a neighbourhood collective cannot carry this "
      "schedule. Use isend_irecv.");
  require<ConfigError>(
      comm.min(std::ranges::all_of(rounds, fits_a_collective)) == 1,
      "A neighbourhood collective needs one message a pair of ranks and round, and one buffer on each "
      "side. Use isend_irecv.");
  const auto graph = std::make_shared<GraphCommunicator>(comm, rounds);
  for (const auto& round : rounds) {
    made.push_back(std::make_unique<NeighborCollective>(graph, round, method == Method::neighbor));
  }
  return made;
}

}  // namespace halcyon::comm
