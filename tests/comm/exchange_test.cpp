#include "halcyon/comm/exchange.hpp"

#include "halcyon/base/error.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

constexpr comm::Method kMethods[] = {comm::Method::isend_irecv, comm::Method::neighbor,
                                     comm::Method::ineighbor};

/// Runs a schedule by MPI and in process; checks that this rank's buffers hold the same bytes.
void check_same(const Schedule& schedule, comm::Method method,
                const std::function<void(Rank, Memory&)>& fill) {
  const comm::Communicator comm(world());
  Memory mine(schedule, comm.rank());
  fill(comm.rank(), mine);
  comm::Exchange exchange(comm, schedule, method, {.combine = add_integers, .work = {}});
  exchange.start(mine.spans()).wait();
  CHECK(mine.bytes == in_process(schedule, fill)[comm.rank()].bytes);
}

}  // namespace

TEST_CASE("comm: forwarding and combining schedules leave the same bytes by MPI and in process") {
  for (const auto method : kMethods) {
    check_same(bruck(world_size()), method, [](Rank rank, Memory& m) {
      for (Rank to = 0; to < world_size(); ++to) m.as<std::int64_t>(0)[to] = 1000 * rank + to;
    });
    check_same(ring_sum(world_size()), method,
               [](Rank rank, Memory& m) { *m.as<std::int64_t>(0) = 3 * rank + 1; });
  }
}

TEST_CASE("comm: an exchange is a plan that serves many starts") {
  const comm::Communicator comm(world());
  const auto schedule = ring_sum(comm.size());
  comm::Exchange exchange(comm, schedule, comm::Method::isend_irecv, {.combine = add_integers, .work = {}});
  Memory memory(schedule, comm.rank());
  for (std::int64_t repeat = 1; repeat < 5; ++repeat) {
    *memory.as<std::int64_t>(0) = repeat * (comm.rank() + 1);
    exchange.start(memory.spans()).wait();
    CHECK(*memory.as<std::int64_t>(0) == repeat * comm.size() * (comm.size() + 1) / 2);
  }
}

TEST_CASE("comm: a second start without a wait, or too small a buffer, is refused") {
  const comm::Communicator comm(world());
  const auto schedule = ring_sum(comm.size());
  comm::Exchange exchange(comm, schedule, comm::Method::isend_irecv, {.combine = add_integers, .work = {}});
  Memory memory(schedule, comm.rank());
  memory.bytes[1].resize(8);
  CHECK_THROWS_AS((void)exchange.start(memory.spans()), InternalError);
}

TEST_CASE("comm: a method is found by name, a wrong name lists them") {
  CHECK(comm::method_named("ineighbor") == comm::Method::ineighbor);
  CHECK_THROWS_WITH_AS(comm::method_named("sendrecv"),
                       "There is no exchange method 'sendrecv'. Use isend_irecv, neighbor or ineighbor.",
                       ConfigError);
}

TEST_CASE("comm: a schedule that a collective cannot carry is refused on all ranks") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  // Rank 0 starts one round more than the others.
  const ListSchedule uneven(comm.size(), {{"data"}}, {16}, [](Rank rank) {
    ListSchedule::Program program;
    for (int round = 0; round < (rank == 0 ? 2 : 1); ++round) {
      program.push_back(start(round));
      program.push_back(wait(round));
    }
    return program;
  });
  CHECK_THROWS_AS(comm::Exchange(comm, uneven, comm::Method::neighbor), ConfigError);
}
