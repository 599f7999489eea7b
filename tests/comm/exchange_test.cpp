#include "halcyon/comm/exchange/exchange.hpp"

#include <chrono>

#include "halcyon/base/error.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Runs a schedule by MPI and in one process, and checks that the buffers of this rank hold the same bytes.
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
  for (const auto& method : comm::methods()) {
    CAPTURE(method.name);
    check_same(bruck(world_size()), &method, [](Rank rank, Memory& m) {
      for (Rank to = 0; to < world_size(); ++to) m.as<std::int64_t>(0)[to] = 1000 * rank + to;
    });
    check_same(ring_sum(world_size()), &method,
               [](Rank rank, Memory& m) { *m.as<std::int64_t>(0) = 3 * rank + 1; });
  }
}

TEST_CASE("comm: an exchange is a plan that serves many starts") {
  const comm::Communicator comm(world());
  const auto schedule = ring_sum(comm.size());
  comm::Exchange exchange(comm, schedule, comm::method_named("isend_irecv"),
                          {.combine = add_integers, .work = {}});
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
  comm::Exchange exchange(comm, schedule, comm::method_named("isend_irecv"),
                          {.combine = add_integers, .work = {}});
  Memory memory(schedule, comm.rank());
  *memory.as<std::int64_t>(0) = comm.rank() + 1;
  {
    auto pending = exchange.start(memory.spans());
    if (comm.size() > 1)  // a sum over one rank is complete when it has started
      CHECK_THROWS_WITH_AS((void)exchange.start(memory.spans()),
                           "An exchange was started while it was in flight. Wait for it first.",
                           InternalError);
    pending.wait();  // the first exchange is not disturbed
  }
  CHECK(*memory.as<std::int64_t>(0) == comm.size() * (comm.size() + 1) / 2);
  memory.bytes[1].resize(8);
  CHECK_THROWS_AS((void)exchange.start(memory.spans()), InternalError);
}

TEST_CASE("comm: a method is found by name, a wrong name lists them") {
  for (const auto& method : comm::methods()) {
    CHECK(comm::method_named(method.name) == &method);
  }
  CHECK_THROWS_WITH_AS(
      comm::method_named("sendrecv"),
      "There is no exchange method 'sendrecv'. Use isend_recv, isend_irecv, persistent, "
      "neighbor, ineighbor, neighbor_persistent, alltoallv, ialltoallv, shared, put or auto.",
      ConfigError);
}

TEST_CASE("comm: any method follows buffers that move from start to start, on some ranks only") {
  const comm::Communicator comm(world());
  const auto schedule = bruck(comm.size());
  for (const auto& method : comm::methods()) {
    CAPTURE(method.name);
    comm::Exchange exchange(comm, schedule, &method);
    Memory first(schedule, comm.rank()), second(schedule, comm.rank());
    for (int repeat = 0; repeat < 4; ++repeat) {
      auto& memory = comm.rank() % 2 == 0 && repeat % 2 == 1 ? second : first;
      for (Rank to = 0; to < comm.size(); ++to) {
        memory.as<std::int64_t>(0)[to] = 1000 * comm.rank() + 10 * repeat + to;
      }
      exchange.start(memory.spans()).wait();
      for (Rank from = 0; from < comm.size(); ++from) {
        CHECK(memory.as<std::int64_t>(1)[from] == 1000 * from + 10 * repeat + comm.rank());
      }
    }
  }
}

TEST_CASE("comm: statistics count messages and bytes, and share the time out among the parts") {
  const comm::Communicator comm(world());
  const auto n = comm.size();
  const auto schedule = ring_sum(n);
  comm::Exchange exchange(comm, schedule, comm::method_named("isend_irecv"),
                          {.combine = add_integers, .work = {}});
  CHECK(exchange.statistics().n_exchanges == 0);
  Memory memory(schedule, comm.rank());
  const auto begin = std::chrono::steady_clock::now();
  for (int repeat = 0; repeat < 3; ++repeat) exchange.start(memory.spans()).wait();
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto statistics = exchange.statistics();
  CHECK(statistics.n_exchanges == 3);
  CHECK(statistics.n_sent == 3 * (n - 1));
  CHECK(statistics.n_received == 3 * (n - 1));
  CHECK(statistics.sent_bytes == 24 * (n - 1));
  CHECK(statistics.received_bytes == 24 * (n - 1));
  CHECK(statistics.pack_s > 0);
  CHECK((statistics.transfer_s > 0) == (n > 1));
  CHECK((statistics.wait_s > 0) == (n > 1));
  CHECK((statistics.unpack_s > 0) == (n > 1));
  CHECK(statistics.total_s() <= elapsed_s);
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
  for (const auto method : {comm::method_named("neighbor"), comm::method_named("ineighbor"),
                            comm::method_named("neighbor_persistent"), comm::method_named("alltoallv"),
                            comm::method_named("ialltoallv")}) {
    CHECK_THROWS_WITH_AS(comm::Exchange(comm, uneven, method),
                         doctest::Contains("but this schedule has different numbers. Use isend_irecv."),
                         ConfigError);
  }
}

TEST_CASE("comm: blocking receives are refused where ranks wait in other orders, or two ends differ") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const Block data{0, 0, 16};
  const ListSchedule overlapping(comm.size(), {{"data"}}, {16}, [](Rank rank) {
    return rank == 0 ? ListSchedule::Program{start(0), start(1), wait(1), wait(0)}
                     : ListSchedule::Program{start(0), wait(0)};
  });
  CHECK_THROWS_AS(comm::Exchange(comm, overlapping, comm::method_named("isend_recv")), ConfigError);
  const ListSchedule shifted(comm.size(), {{"data"}}, {16}, [&](Rank rank) {
    if (rank == 0) return ListSchedule::Program{start(0), wait(0), send(1, 1, data), start(1), wait(1)};
    if (rank == 1) return ListSchedule::Program{receive(0, 0, data), start(0), wait(0)};
    return ListSchedule::Program{};
  });
  CHECK_THROWS_AS(comm::Exchange(comm, shifted, comm::method_named("isend_recv")), ConfigError);
}
