#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "halcyon/comm/methods/round.hpp"

namespace halcyon::comm {
namespace {

/// Communicator of the ranks that are connected by the messages of a round, directly or through other ranks:
/// for example, a row or column of a grid of ranks. A rank without messages is alone in its communicator.
class RoundGroup {
 public:
  /// Collective. @param lowest_rank the lowest rank of the group, which identifies it
  RoundGroup(const Communicator& comm, Rank lowest_rank) {
    check(MPI_Comm_split(comm.get(), lowest_rank, comm.rank(), &comm_), "MPI_Comm_split");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int size = 0;
    check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
    ranks.resize(size);
    const Rank rank = comm.rank();
    check(MPI_Allgather(&rank, 1, MPI_INT32_T, ranks.data(), 1, MPI_INT32_T, comm_), "MPI_Allgather");
  }
  RoundGroup(const RoundGroup&) = delete;
  RoundGroup& operator=(const RoundGroup&) = delete;
  ~RoundGroup() {
    if (is_mpi_active()) MPI_Comm_free(&comm_);
  }

  MPI_Comm get() const { return comm_; }

  std::vector<Rank> ranks;  ///< ranks of the group in the communicator that was split, ascending

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using SharedGroup = std::shared_ptr<const RoundGroup>;

std::set<Rank> peers_of(const RoundMessages& round) {
  std::set<Rank> peers;
  for (const auto& message : round.receives) peers.insert(message.peer);
  for (const auto& message : round.sends) peers.insert(message.peer);
  return peers;
}

/// One number per round: a rank, or the index of a round.
using NumberByRound = std::vector<Rank>;

/// Collective. Sends the list `sent` to all peers. @returns the lists of the peers, in the order of `peers`
std::vector<NumberByRound> exchange_with_peers(const Communicator& comm, const std::set<Rank>& peers,
                                               const NumberByRound& sent, int tag) {
  std::vector<NumberByRound> received;
  std::vector<MPI_Request> requests;
  const auto n = static_cast<int>(sent.size());
  received.reserve(peers.size());
  for (const auto peer : peers) {
    auto& values = received.emplace_back(sent.size());
    check(MPI_Irecv(values.data(), n, MPI_INT32_T, peer, tag, comm.get(), &requests.emplace_back()),
          "MPI_Irecv");
    check(MPI_Isend(sent.data(), n, MPI_INT32_T, peer, tag, comm.get(), &requests.emplace_back()),
          "MPI_Isend");
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return received;
}

/// Collective. Returns, for each round, the lowest rank that messages connect with this rank, directly or
/// through other ranks: repeatedly takes the minimum over the rank and its peers, until no result changes.
NumberByRound lowest_connected_rank(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto tag = comm.new_tag();
  std::vector<std::set<Rank>> peers;
  std::set<Rank> all_peers;
  for (const auto& round : rounds) all_peers.merge(std::set(peers.emplace_back(peers_of(round))));
  NumberByRound lowest(rounds.size(), comm.rank());
  for (bool has_changed = true; has_changed;) {
    const auto previous = lowest;
    auto peer = all_peers.begin();
    for (const auto& received : exchange_with_peers(comm, all_peers, previous, tag.number())) {
      for (std::size_t r = 0; r < rounds.size(); ++r)
        if (peers[r].contains(*peer)) lowest[r] = std::min(lowest[r], received[r]);
      ++peer;
    }
    has_changed = comm.max(lowest != previous) == 1;
  }
  return lowest;
}

/// Collective. Returns, for each round, an earlier round that connects the same groups of ranks, or the round
/// itself if there is none. The result is the same on all ranks.
NumberByRound first_round_with_same_groups(const Communicator& comm, const NumberByRound& lowest) {
  const auto n_rounds = static_cast<int>(lowest.size());
  std::vector<std::int32_t> first_round(n_rounds), is_same(n_rounds);
  const auto all_reduce = [&](std::vector<std::int32_t>& values, MPI_Op operation) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), n_rounds, MPI_INT32_T, operation, comm.get()),
          "MPI_Allreduce");
  };
  for (int r = 0; r < n_rounds; ++r)
    first_round[r] = static_cast<std::int32_t>(std::ranges::find(lowest, lowest[r]) - lowest.begin());
  all_reduce(first_round, MPI_MAX);
  for (int r = 0; r < n_rounds; ++r) is_same[r] = lowest[first_round[r]] == lowest[r];
  all_reduce(is_same, MPI_MIN);
  for (int r = 0; r < n_rounds; ++r)
    if (is_same[r] == 0) first_round[r] = r;
  return first_round;
}

/// Collective. The communicator of this rank's group in each round; rounds with equal groups share one.
/// Messages must be sent and received in the same round.
std::vector<SharedGroup> round_groups(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto lowest = lowest_connected_rank(comm, rounds);
  const auto first_round = first_round_with_same_groups(comm, lowest);
  std::vector<SharedGroup> groups(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    auto& group = groups[first_round[r]];
    if (!group) group = std::make_shared<RoundGroup>(comm, lowest[r]);
    groups[r] = group;
  }
  return groups;
}

class Alltoallv : public CollectiveRound {
 public:
  Alltoallv(SharedGroup group, const RoundMessages& messages)
      : CollectiveRound(messages, group->ranks, group->ranks), group_(std::move(group)) {}

 protected:
  SharedGroup group_;
};

class Blocking final : public Alltoallv {
 public:
  using Alltoallv::Alltoallv;
  void start(BufferSpans buffers) override {
    check(call(MPI_Alltoallv, buffers, group_->get()), "MPI_Alltoallv");
  }
};

class Nonblocking final : public Alltoallv {
 public:
  using Alltoallv::Alltoallv;
  void start(BufferSpans buffers) override {
    check(call(MPI_Ialltoallv, buffers, group_->get(), &request_), "MPI_Ialltoallv");
  }
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, Program& program, const std::vector<schedule::Buffer>&) {
  require_collective_rounds(comm, program);
  const auto groups = round_groups(comm, program.rounds);
  Rounds rounds;
  for (std::size_t r = 0; r < groups.size(); ++r)
    rounds.push_back(std::make_unique<Kind>(groups[r], program.rounds[r]));
  return rounds;
}

}  // namespace

MethodEntry alltoallv() {
  return {{.name = "alltoallv",
           .text = "MPI_Alltoallv among the ranks that are connected by the messages of a round"},
          {.collective = true},
          rounds_of<Blocking>};
}

MethodEntry ialltoallv() {
  return {{.name = "ialltoallv", .text = "MPI_Ialltoallv among the same ranks as alltoallv"},
          {.overlaps = true, .collective = true},
          rounds_of<Nonblocking>};
}

}  // namespace halcyon::comm
