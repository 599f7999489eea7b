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

/// A communicator of the ranks that the messages of a round join, such as a row or column of a grid of ranks;
/// who has no messages is alone.
class RoundGroup {
 public:
  /// Collective. @param lowest rank of the group
  RoundGroup(const Communicator& comm, Rank lowest) {
    check(MPI_Comm_split(comm.get(), lowest, comm.rank(), &comm_), "MPI_Comm_split");
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
    if (mpi_runs()) MPI_Comm_free(&comm_);
  }

  MPI_Comm get() const { return comm_; }

  std::vector<Rank> ranks;  ///< ascending, by their numbers in the communicator that was split

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using GroupPointer = std::shared_ptr<const RoundGroup>;

std::set<Rank> peers_of(const RoundMessages& round) {
  std::set<Rank> peers;
  for (const auto& m : round.receives) peers.insert(m.peer);
  for (const auto& m : round.sends) peers.insert(m.peer);
  return peers;
}

/// Ranks by round.
using ByRound = std::vector<Rank>;

/// Collective. What all peers have.
std::vector<ByRound> theirs(const Communicator& comm, const std::set<Rank>& peers, const ByRound& mine,
                            int tag) {
  std::vector<ByRound> found;
  std::vector<MPI_Request> requests;
  const auto n = static_cast<int>(mine.size());
  found.reserve(peers.size());
  for (const auto peer : peers) {
    auto& theirs = found.emplace_back(mine.size());
    check(MPI_Irecv(theirs.data(), n, MPI_INT32_T, peer, tag, comm.get(), &requests.emplace_back()),
          "MPI_Irecv");
    check(MPI_Isend(mine.data(), n, MPI_INT32_T, peer, tag, comm.get(), &requests.emplace_back()),
          "MPI_Isend");
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return found;
}

/// Collective. The lowest rank of those that each round joins, straight or by way of others: the lowest that
/// is known goes from peer to peer until nobody learns anything new.
ByRound lowest_joined(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto tag = comm.new_tag();
  std::vector<std::set<Rank>> peers;
  std::set<Rank> all;
  for (const auto& round : rounds) all.merge(std::set(peers.emplace_back(peers_of(round))));
  ByRound lowest(rounds.size(), comm.rank());
  for (bool learned = true; learned;) {
    const auto before = lowest;
    auto peer = all.begin();
    for (const auto& near : theirs(comm, all, before, tag.number())) {
      for (std::size_t r = 0; r < rounds.size(); ++r)
        if (peers[r].contains(*peer)) lowest[r] = std::min(lowest[r], near[r]);
      ++peer;
    }
    learned = comm.max(lowest != before) == 1;
  }
  return lowest;
}

/// Collective. For each round one up to it that has the same groups, the same on all ranks.
ByRound alike(const Communicator& comm, const ByRound& lowest) {
  const auto n = static_cast<int>(lowest.size());
  std::vector<std::int32_t> like(n), same(n);
  const auto agree = [&](std::vector<std::int32_t>& values, MPI_Op how) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), n, MPI_INT32_T, how, comm.get()), "MPI_Allreduce");
  };
  for (int r = 0; r < n; ++r)
    like[r] = static_cast<std::int32_t>(std::ranges::find(lowest, lowest[r]) - lowest.begin());
  agree(like, MPI_MAX);
  for (int r = 0; r < n; ++r) same[r] = lowest[like[r]] == lowest[r];
  agree(same, MPI_MIN);
  for (int r = 0; r < n; ++r)
    if (same[r] == 0) like[r] = r;
  return like;
}

/// Collective. The group of each round; rounds of the same groups share them. Both ends of a message must be
/// in one round.
std::vector<GroupPointer> round_groups(const Communicator& comm, const std::vector<RoundMessages>& rounds) {
  const auto lowest = lowest_joined(comm, rounds);
  const auto like = alike(comm, lowest);
  std::vector<GroupPointer> groups(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    auto& first = groups[like[r]];
    if (!first) first = std::make_shared<RoundGroup>(comm, lowest[r]);
    groups[r] = first;
  }
  return groups;
}

/// What the rounds of both methods have in common.
class Alltoallv : public CollectiveRound {
 public:
  Alltoallv(GroupPointer group, const RoundMessages& messages)
      : CollectiveRound(messages, group->ranks, group->ranks), group_(std::move(group)) {}

 protected:
  GroupPointer group_;
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
  require_collectives(comm, program);
  const auto groups = round_groups(comm, program.rounds);
  Rounds made;
  for (std::size_t r = 0; r < groups.size(); ++r)
    made.push_back(std::make_unique<Kind>(groups[r], program.rounds[r]));
  return made;
}

}  // namespace

MethodEntry alltoallv() {
  return {{.name = "alltoallv", .text = "MPI_Alltoallv among the ranks that a round joins"},
          {.collective = true},
          rounds_of<Blocking>};
}

MethodEntry ialltoallv() {
  return {{.name = "ialltoallv", .text = "MPI_Ialltoallv among the same"},
          {.overlaps = true, .collective = true},
          rounds_of<Nonblocking>};
}

}  // namespace halcyon::comm
