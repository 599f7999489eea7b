#include <cstdlib>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Rank 1 sends messages of `sent` bytes to rank 0 in its rounds 4 and 5; rank 0 receives messages of
/// `expected` bytes in its rounds 7 and 8.
ListSchedule two_messages(Rank n_ranks, std::vector<std::int64_t> sent, std::vector<std::int64_t> expected) {
  const auto program = [=](Rank rank) {
    ListSchedule::Program program;
    const auto& sizes = rank == 1 ? sent : expected;
    for (std::int32_t i = 0; rank < 2 && i < std::ssize(sizes); ++i) {
      const auto round = (rank == 1 ? 4 : 7) + i;
      const Block block{0, 0, sizes[i]};
      program.push_back(rank == 1 ? send(0, round, block) : receive(1, round, block));
      program.push_back(start(round));
      program.push_back(wait(round));
    }
    return program;
  };
  return {n_ranks, {{"data"}}, {64}, program};
}

}  // namespace

TEST_CASE("comm: lists reach ranks that do not know of them") {
  // Rank r sends a list to each lower rank, and one to the last rank; receivers do not say what they await.
  const comm::Communicator comm(world());
  const auto n = comm.size();
  for (int repeat = 0; repeat < 3; ++repeat) {
    comm::ListsByRank lists;
    for (Rank to = 0; to < comm.rank(); ++to) lists[to] = {comm.rank(), to, repeat};
    lists[n - 1].push_back(comm.rank());
    const auto received = sparse_exchange(comm, lists);
    CHECK(std::ssize(received) == (comm.rank() == n - 1 ? n : n - 1 - comm.rank()));
    for (Rank from = comm.rank() + 1; from < n; ++from) {
      CHECK(received.at(from) == std::vector<std::int64_t>{from, comm.rank(), repeat});
    }
    if (comm.rank() == n - 1 && n > 1) CHECK(received.at(0) == std::vector<std::int64_t>{0});
  }
}

TEST_CASE("comm: pairs that match pass the check") {
  const comm::Communicator comm(world());
  check_message_matching(comm, bruck(comm.size()));
  check_message_matching(comm, ring_sum(comm.size()));
  if (comm.size() > 1) check_message_matching(comm, two_messages(comm.size(), {8, 24}, {8, 24}));
}

TEST_CASE("comm: a message that its partner does not await is named on all ranks") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const auto fails = [&](std::vector<std::int64_t> sent, std::vector<std::int64_t> expected,
                         const char* text) {
    CHECK_THROWS_WITH_AS(check_message_matching(comm, two_messages(comm.size(), sent, expected)), text,
                         InternalError);
  };
  fails({8, 24}, {8, 16}, "Rank 1 sends 24 bytes in round 5 to rank 0, which receives 16 bytes in round 8.");
  fails({24, 8}, {8, 24}, "Rank 1 sends 24 bytes in round 4 to rank 0, which receives 8 bytes in round 7.");
  fails({8, 24}, {8}, "Rank 1 sends 24 bytes in round 5 to rank 0, which has no more receives from rank 1.");
  fails({8}, {8, 16}, "Rank 0 receives 16 bytes in round 8 from rank 1, which has no more sends to rank 0.");
  fails({}, {16}, "Rank 0 receives 16 bytes in round 7 from rank 1, which has no more sends to rank 0.");
}

TEST_CASE("comm: HALCYON_DEBUG=1 on any rank checks the pairs of every exchange") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  if (comm.rank() == 0) setenv("HALCYON_DEBUG", "1", 1);
  const auto wrong = two_messages(comm.size(), {8}, {16});
  CHECK_THROWS_AS(comm::Exchange(comm, wrong, comm::method_named("isend_irecv")), InternalError);
  unsetenv("HALCYON_DEBUG");
}
