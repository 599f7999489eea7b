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
  /// The sends or the receives of the round.
  struct Side {
    explicit Side(std::vector<Message> messages_of_side)
        : messages(std::move(messages_of_side)), unit(messages), requests(messages.size(), MPI_REQUEST_NULL) {
      for (const auto& message : messages) counts.push_back(unit.size(message));
    }
    std::byte* address(std::size_t i, BufferSpans buffers) const {
      return buffers[messages[i].block.buffer].data() + messages[i].block.offset_bytes;
    }
    std::vector<Message> messages;
    MessageUnit unit;
    std::vector<int> counts;  ///< sizes of the messages [units]
    std::vector<MPI_Request> requests;
  };

  /// @param post MPI_Irecv or MPI_Isend   @param post_name name of this function
  template <class Post>
  void post_all(Side& side, BufferSpans buffers, Post post, const char* post_name) {
    for (std::size_t i = 0; i < side.messages.size(); ++i)
      check(post(side.address(i, buffers), side.counts[i], side.unit.type(), side.messages[i].peer,
                 tag_.number(), comm_.get(), &side.requests[i]),
            post_name);
  }
  void send(BufferSpans buffers) { post_all(sends_, buffers, MPI_Isend, "MPI_Isend"); }

  Communicator comm_;
  Tag tag_;
  Side receives_, sends_;
};

class IsendIrecv final : public PointToPoint {
 public:
  using PointToPoint::PointToPoint;
  void start(BufferSpans buffers) override {
    post_all(receives_, buffers, MPI_Irecv, "MPI_Irecv");
    send(buffers);
  }
};

/// The method of FVWAM (Fig. 5 of its paper on distributed graphs, Geosci. Model Dev. 2025): nonblocking
/// sends in start, blocking receives in wait. Here wait also waits for the sends.
class IsendRecv final : public PointToPoint {
 public:
  using PointToPoint::PointToPoint;

  void start(BufferSpans buffers) override {
    buffers_ = buffers;
    send(buffers);
  }

  void wait() override {
    for (std::size_t i = 0; i < receives_.messages.size(); ++i)
      check(MPI_Recv(receives_.address(i, buffers_), receives_.counts[i], receives_.unit.type(),
                     receives_.messages[i].peer, tag_.number(), comm_.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
    wait_all(sends_.requests);
  }

  /// A round with receives does not complete before `wait`, which posts them.
  bool test() override { return test_all(sends_.requests) && receives_.messages.empty(); }

 private:
  BufferSpans buffers_;
};

/// Persistent requests, created in the first `start` and again for messages whose buffer address has changed.
class Persistent final : public PointToPoint {
 public:
  Persistent(const Communicator& comm, RoundMessages messages, Tag tag)
      : PointToPoint(comm, std::move(messages), std::move(tag)),
        receive_addresses_(receives_.messages.size()),
        send_addresses_(sends_.messages.size()) {}
  ~Persistent() override {
    if (!is_mpi_active()) return;
    for (auto* side : {&receives_, &sends_})
      for (auto& request : side->requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

  /// Starts the requests one by one, since MPI_Startall may start them in any order: several messages between
  /// two ranks match in the order of their starts.
  void start(BufferSpans buffers) override {
    start_side(receives_, receive_addresses_, buffers, MPI_Recv_init, "MPI_Recv_init");
    start_side(sends_, send_addresses_, buffers, MPI_Send_init, "MPI_Send_init");
  }

 private:
  template <class Init>
  void start_side(Side& side, std::vector<std::byte*>& addresses, BufferSpans buffers, Init init,
                  const char* init_name) {
    for (std::size_t i = 0; i < side.messages.size(); ++i) {
      auto& request = side.requests[i];
      auto* address = side.address(i, buffers);
      if (request == MPI_REQUEST_NULL || addresses[i] != address) {
        if (request != MPI_REQUEST_NULL) check(MPI_Request_free(&request), "MPI_Request_free");
        check(init(address, side.counts[i], side.unit.type(), side.messages[i].peer, tag_.number(),
                   comm_.get(), &request),
              init_name);
        addresses[i] = address;
      }
      check(MPI_Start(&request), "MPI_Start");
    }
  }

  std::vector<std::byte*> receive_addresses_, send_addresses_;  ///< for which the requests were created
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, Program& program, const std::vector<schedule::Buffer>&) {
  Rounds rounds;
  const auto tag = comm.new_tag();
  for (const auto& round : program.rounds) rounds.push_back(std::make_unique<Kind>(comm, round, tag));
  return rounds;
}

/// Collective. The rounds of `isend_recv`. To exclude deadlocks of blocking receives, all ranks must wait for
/// common rounds in the same order: then every rank has started the first round for which any rank waits. If
/// the rounds are waited for in another order than they start, each round has a separate tag, since messages
/// between two ranks with equal tags match in the order of their sends.
Rounds blocking_rounds(const Communicator& comm, Program& program,
                       const std::vector<schedule::Buffer>& buffers) {
  const auto wait_order = program.wait_order();
  const bool rounds_are_common = comm.min(rounds_match(comm, program.rounds)) == 1;
  const bool is_in_start_order = comm.min(std::ranges::is_sorted(wait_order)) == 1;
  require<ConfigError>(
      rounds_are_common && (is_in_start_order || is_equal_on_all_ranks(comm, wait_order)),
      "isend_recv needs all ranks to wait for common rounds in the same order, but rounds of this "
      "schedule differ between ranks. Use isend_irecv.");
  if (is_in_start_order) return rounds_of<IsendRecv>(comm, program, buffers);
  Rounds rounds;
  for (const auto& round : program.rounds)
    rounds.push_back(std::make_unique<IsendRecv>(comm, round, comm.new_tag()));
  return rounds;
}

}  // namespace

std::unique_ptr<Round> isend_irecv_round(const Communicator& comm, RoundMessages messages, Tag tag) {
  return std::make_unique<IsendIrecv>(comm, std::move(messages), std::move(tag));
}

MethodEntry isend_recv() {
  return {{.name = "isend_recv",
           .text = "MPI_Isend in start; blocking MPI_Recv in wait, as in FVWAM",
           .traits = {"halos_only"}},
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
           .text = "MPI_Recv_init and MPI_Send_init, repeated if buffer addresses change; MPI_Start"},
          {.overlaps = true},
          rounds_of<Persistent>};
}

}  // namespace halcyon::comm
