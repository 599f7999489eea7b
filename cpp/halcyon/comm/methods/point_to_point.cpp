#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/methods/round.hpp"

namespace halcyon::comm {

namespace {

void wait_all(std::vector<MPI_Request>& requests) {
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

bool test_all(std::vector<MPI_Request>& requests) {
  int done = 0;
  check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
  return done != 0;
}

/// Messages between pairs of ranks: what the methods that send them one by one have in common.
class PointToPoint : public Round {
 public:
  PointToPoint(const Communicator& comm, RoundMessages messages, Tag tag)
      : comm_(comm),
        tag_(std::move(tag)),
        receives_(std::move(messages.receives)),
        sends_(std::move(messages.sends)) {}

  void wait() override {
    wait_all(receives_.requests);
    wait_all(sends_.requests);
  }
  bool test() override { return test_all(receives_.requests) && test_all(sends_.requests); }

 protected:
  /// One direction of the round, with its sizes in MPI's units.
  struct Side {
    explicit Side(std::vector<Message> of)
        : messages(std::move(of)), units(messages), requests(messages.size(), MPI_REQUEST_NULL) {
      for (const auto& message : messages) counts.push_back(units.size(message));
    }
    std::byte* address(std::size_t i, BufferSpans buffers) const {
      return buffers[messages[i].block.buffer].data() + messages[i].block.offset_bytes;
    }
    std::vector<Message> messages;
    Units units;
    std::vector<int> counts;
    std::vector<MPI_Request> requests;
  };

  /// @param begin MPI_Irecv or MPI_Isend
  template <class Begin>
  void begin_all(Side& side, BufferSpans buffers, Begin begin, const char* name) {
    for (std::size_t i = 0; i < side.messages.size(); ++i) {
      check(begin(side.address(i, buffers), side.counts[i], side.units.type(), side.messages[i].peer,
                  tag_.number(), comm_.get(), &side.requests[i]),
            name);
    }
  }
  void send(BufferSpans buffers) { begin_all(sends_, buffers, MPI_Isend, "MPI_Isend"); }

  Communicator comm_;
  Tag tag_;
  Side receives_, sends_;
};

class IsendIrecv final : public PointToPoint {
 public:
  using PointToPoint::PointToPoint;
  void start(BufferSpans buffers) override {
    begin_all(receives_, buffers, MPI_Irecv, "MPI_Irecv");
    send(buffers);
  }
};

/// FVWAM's way (Fig. 5 of its paper on distributed graphs, Geosci. Model Dev. 2025): all sends leave in
/// start, each receive blocks in wait. Here the sends are waited for, too.
class IsendRecv final : public PointToPoint {
 public:
  using PointToPoint::PointToPoint;

  void start(BufferSpans buffers) override {
    buffers_ = buffers;
    send(buffers);
  }

  void wait() override {
    for (std::size_t i = 0; i < receives_.messages.size(); ++i) {
      check(MPI_Recv(receives_.address(i, buffers_), receives_.counts[i], receives_.units.type(),
                     receives_.messages[i].peer, tag_.number(), comm_.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
    }
    wait_all(sends_.requests);
  }

  /// What is to come is asked for in wait only.
  bool test() override { return test_all(sends_.requests) && receives_.messages.empty(); }

 private:
  BufferSpans buffers_;
};

/// Requests that are made once for the addresses of a message, and again only when a start brings others.
class Persistent final : public PointToPoint {
 public:
  Persistent(const Communicator& comm, RoundMessages messages, Tag tag)
      : PointToPoint(comm, std::move(messages), std::move(tag)),
        receive_addresses_(receives_.messages.size()),
        send_addresses_(sends_.messages.size()) {}
  ~Persistent() override {
    if (!mpi_runs()) return;
    for (auto* side : {&receives_, &sends_}) {
      for (auto& request : side->requests) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      }
    }
  }

  /// One by one, for MPI_Startall starts them in any order, and messages of one pair match in theirs.
  void start(BufferSpans buffers) override {
    start_side(receives_, receive_addresses_, buffers, MPI_Recv_init, "MPI_Recv_init");
    start_side(sends_, send_addresses_, buffers, MPI_Send_init, "MPI_Send_init");
  }

 private:
  template <class Init>
  void start_side(Side& side, std::vector<std::byte*>& addresses, BufferSpans buffers, Init init,
                  const char* what) {
    for (std::size_t i = 0; i < side.messages.size(); ++i) {
      auto& request = side.requests[i];
      auto* address = side.address(i, buffers);
      if (request == MPI_REQUEST_NULL || addresses[i] != address) {
        if (request != MPI_REQUEST_NULL) check(MPI_Request_free(&request), "MPI_Request_free");
        check(init(address, side.counts[i], side.units.type(), side.messages[i].peer, tag_.number(),
                   comm_.get(), &request),
              what);
        addresses[i] = address;
      }
      check(MPI_Start(&request), "MPI_Start");
    }
  }

  std::vector<std::byte*> receive_addresses_, send_addresses_;
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, Program& program, const std::vector<schedule::Buffer>&) {
  Rounds made;
  const auto tag = comm.new_tag();
  for (const auto& round : program.rounds) made.push_back(std::make_unique<Kind>(comm, round, tag));
  return made;
}

/// Collective. Whether all ranks have the same list.
bool all_have(const Communicator& comm, const std::vector<std::int64_t>& list) {
  const auto n = std::ssize(list);
  if (comm.min(n) != comm.max(n)) return false;
  auto sums = list;
  comm.sum(sums);
  const auto same = [&](std::int64_t sum, std::int64_t mine) { return sum == comm.size() * mine; };
  return comm.min(std::ranges::equal(sums, list, same)) == 1;
}

/// A receive that blocks holds up what its rank does next. So ranks must wait for common rounds in one order:
/// then the first round that some rank still waits for has been started by all, whose earlier waits are over.
/// Where that is not the order in which rounds start, each has a tag of its own, for messages of a pair match
/// in the order in which they leave.
Rounds blocking_rounds(const Communicator& comm, Program& program,
                       const std::vector<schedule::Buffer>& buffers) {
  const auto order = program.wait_order();
  const bool common = comm.min(both_ends_in_one_round(comm, program.rounds)) == 1;
  const bool as_started = comm.min(std::ranges::is_sorted(order)) == 1;
  require<ConfigError>(common && (as_started || all_have(comm, order)),
                       "isend_recv needs ranks that wait for common rounds in the same order, and this "
                       "schedule has rounds of its own on some rank. Use isend_irecv.");
  if (as_started) return rounds_of<IsendRecv>(comm, program, buffers);
  Rounds made;
  for (const auto& round : program.rounds)
    made.push_back(std::make_unique<IsendRecv>(comm, round, comm.new_tag()));
  return made;
}

}  // namespace

std::unique_ptr<Round> isend_irecv_round(const Communicator& comm, RoundMessages messages, Tag tag) {
  return std::make_unique<IsendIrecv>(comm, std::move(messages), std::move(tag));
}

MethodEntry isend_recv() {
  return {{.name = "isend_recv",
           .text = "MPI_Isend in start; MPI_Recv, one after the other, in wait: FVWAM's way",
           .goes_with = {"halos"}},
          {},
          blocking_rounds};
}

MethodEntry isend_irecv() {
  return {{.name = "isend_irecv", .text = "MPI_Irecv, MPI_Isend, MPI_Waitall"},
          {.overlaps = true},
          rounds_of<IsendIrecv>};
}

MethodEntry persistent() {
  return {{.name = "persistent",
           .text = "MPI_Recv_init, MPI_Send_init, made anew where a start brings other addresses; MPI_Start"},
          {.overlaps = true},
          rounds_of<Persistent>};
}

}  // namespace halcyon::comm
