#include <mpi.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Numbers of calls of MPI functions by this rank.
struct Calls {
  std::int64_t sends = 0, receives = 0, waits = 0, puts = 0, synchronisations = 0, collectives = 0;
};
Calls calls;

}  // namespace

// The profiling interface of MPI: these functions replace those of the library.
extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++calls.sends;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++calls.receives;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  ++calls.waits;
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Put(const void* data, int count, MPI_Datatype type, int to, MPI_Aint offset, int to_count,
            MPI_Datatype to_type, MPI_Win win) {
  ++calls.puts;
  return PMPI_Put(data, count, type, to, offset, to_count, to_type, win);
}
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  ++calls.synchronisations;
  return PMPI_Win_post(group, assertion, win);
}
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  ++calls.synchronisations;
  return PMPI_Win_start(group, assertion, win);
}
int MPI_Win_complete(MPI_Win win) {
  ++calls.synchronisations;
  return PMPI_Win_complete(win);
}
int MPI_Win_wait(MPI_Win win) {
  ++calls.synchronisations;
  return PMPI_Win_wait(win);
}
int MPI_Win_fence(int assertion, MPI_Win win) {
  ++calls.collectives;
  return PMPI_Win_fence(assertion, win);
}
int MPI_Barrier(MPI_Comm comm) {
  ++calls.collectives;
  return PMPI_Barrier(comm);
}
int MPI_Allreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  ++calls.collectives;
  return PMPI_Allreduce(mine, result, count, type, operation, comm);
}
}

namespace {

comm::Method put() {
  return comm::method_named("put");
}

/// Rank r receives `n_items` integers from each other rank, and sends as many: buffer 0 is sent, buffer 1
/// received, (rank, item).
ListSchedule all_pairs(Rank n_ranks, std::int64_t n_items) {
  const auto program = [=](Rank rank) {
    ListSchedule::Program program;
    for (Rank other = 0; other < n_ranks; ++other) {
      if (other == rank) continue;
      program.push_back(receive(other, 0, {1, 8 * n_items * other, 8 * n_items}));
      program.push_back(send(other, 0, {0, 8 * n_items * other, 8 * n_items}));
    }
    program.push_back(start(0));
    program.push_back(wait(0));
    return program;
  };
  const auto bytes = 8 * n_items * n_ranks;
  return {n_ranks, {{"sent"}, {"received"}}, {bytes, bytes}, program};
}

void fill(Memory& memory, const comm::Communicator& comm, std::int64_t n_items, std::int64_t repeat) {
  for (std::int64_t i = 0; i < comm.size() * n_items; ++i)
    memory.as<std::int64_t>(0)[i] = 1'000'000 * repeat + 1000 * comm.rank() + i;
}

std::int64_t n_wrong(Memory& memory, const comm::Communicator& comm, std::int64_t n_items,
                     std::int64_t repeat) {
  std::int64_t n = 0;
  for (Rank other = 0; other < comm.size(); ++other)
    for (std::int64_t i = 0; other != comm.rank() && i < n_items; ++i)
      n += memory.as<std::int64_t>(1)[n_items * other + i] !=
           1'000'000 * repeat + 1000 * other + n_items * comm.rank() + i;
  return n;
}

/// The calls of one exchange of the halo of a semi-Lagrangian advection, on all ranks.
Calls calls_of_wide_halo(const comm::Communicator& comm, comm::Method method, int width) {
  const auto grid = transform::Grid::full(24, 48);
  const semi_lagrangian::Rows rows(grid);
  const semi_lagrangian::Division division(grid, 1, comm.size());
  const semi_lagrangian::Columns columns(division, comm.rank(),
                                         wide_halo(rows, division, comm.rank(), width));
  semi_lagrangian::ColumnHalo halo(&comm, division, columns, {}, method);
  const std::vector<double> field(columns.n_owned());
  const semi_lagrangian::ColumnField view{.data = field.data(), .column_stride = 1, .level_stride = 1};
  halo.start(0, {&view, 1});
  halo.wait(0);  // the first exchange may prepare others
  calls = {};
  halo.start(0, {&view, 1});
  halo.wait(0);
  const auto mine = calls;
  std::array<std::int64_t, 6> sums{mine.sends, mine.receives,         mine.waits,
                                   mine.puts,  mine.synchronisations, mine.collectives};
  comm.sum(sums);
  return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
}

}  // namespace

TEST_CASE("comm: put makes half the calls that move data, and four that synchronise a rank") {
  // Expected: per message one put instead of a send and a receive; per rank post, start, complete and wait
  // instead of two waits; no call of all ranks.
  const comm::Communicator comm(world());
  for (const int width : {3, 10}) {
    const auto two_sided = calls_of_wide_halo(comm, comm::method_named("isend_irecv"), width);
    const auto one_sided = calls_of_wide_halo(comm, put(), width);
    CAPTURE(width);
    CHECK(two_sided.receives == two_sided.sends);
    CHECK((two_sided.sends > 0) == (comm.size() > 1));
    CHECK(one_sided.puts == two_sided.sends);
    CHECK(one_sided.sends + one_sided.receives + one_sided.waits == 0);
    CHECK(one_sided.synchronisations == (comm.size() > 1 ? 4 * comm.size() : 0));
    CHECK(one_sided.collectives == 0);
  }
}

TEST_CASE("comm: put has several exchanges in flight, which end with their handles, at once and in wait") {
  for (const Rank max_node_ranks : {0, 1}) {  // 1: as between nodes, puts complete in wait
    const comm::Communicator comm(world(), max_node_ranks);
    const std::array<std::int64_t, 3> n_items{1, 7, 20'000};
    std::vector<comm::Exchange> exchanges;
    std::vector<Memory> memories;
    for (const auto n : n_items) {
      const auto schedule = all_pairs(comm.size(), n);
      exchanges.emplace_back(comm, schedule, put());
      memories.emplace_back(schedule, comm.rank());
    }
    for (std::int64_t repeat = 0; repeat < 5; ++repeat) {
      {
        std::vector<comm::PendingExchange> pending;
        for (std::size_t e = 0; e < exchanges.size(); ++e) {
          fill(memories[e], comm, n_items[e], repeat);
          pending.push_back(exchanges[e].start(memories[e].spans()));
        }
        if (repeat % 2) pending.pop_back();  // any order that is the same on all ranks
      }
      for (std::size_t e = 0; e < exchanges.size(); ++e)
        CHECK(n_wrong(memories[e], comm, n_items[e], repeat) == 0);
    }
  }
}

TEST_CASE("comm: put uses windows again that all ranks have released, whichever rank is first") {
  const comm::Communicator comm(world());
  std::vector<comm::Exchange> kept;
  for (std::int64_t repeat = 0; repeat < 6; ++repeat) {
    const auto n = 10 * (repeat + 1);
    const auto schedule = all_pairs(comm.size(), n);
    comm::Exchange exchange(comm, schedule, put());
    Memory memory(schedule, comm.rank());
    fill(memory, comm, n, repeat);
    exchange.start(memory.spans()).wait();
    CHECK(n_wrong(memory, comm, n, repeat) == 0);
    if (comm.rank() == repeat % 3) kept.push_back(std::move(exchange));
    if (repeat == 3) kept.clear();
  }
}

TEST_CASE("comm: put is polled, and progressed by a thread") {
  const comm::Communicator comm(world(), 1);
  for (const auto mode : {comm::ProgressMode::poll, comm::ProgressMode::thread}) {
    const auto schedule = all_pairs(comm.size(), 1000);
    comm::Exchange exchange(comm, schedule, put(), {}, comm::BufferPlacement::anywhere,
                            std::make_shared<comm::Progress>(comm, mode));
    Memory memory(schedule, comm.rank());
    for (std::int64_t repeat = 0; repeat < 3; ++repeat) {
      fill(memory, comm, 1000, repeat);
      auto pending = exchange.start(memory.spans());
      for (int poll = 0; poll < 10; ++poll) exchange.progress();
      pending.wait();
      CHECK(n_wrong(memory, comm, 1000, repeat) == 0);
    }
  }
}

TEST_CASE("comm: put is refused on all ranks where they start or wait in other orders, or lack memory") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const ListSchedule other_waits(comm.size(), {{"data"}}, {16}, [](Rank rank) {
    return rank == 0 ? ListSchedule::Program{start(0), start(1), wait(1), wait(0)}
                     : ListSchedule::Program{start(0), start(1), wait(0), wait(1)};
  });
  CHECK_THROWS_WITH_AS(
      comm::Exchange(comm, other_waits, put()),
      "put needs all ranks to start and wait for common rounds in the same order, but rounds "
      "of this schedule differ between ranks. Use isend_irecv.",
      ConfigError);
  const std::int64_t too_many = std::numeric_limits<int>::max();  // messages of 16 GiB that nobody allocates
  const ListSchedule large(comm.size(), {{"data"}, {"more"}}, {8 * too_many, 8 * too_many}, [&](Rank rank) {
    const Block data{rank, 0, 8 * too_many};
    if (rank == 0) return ListSchedule::Program{send(1, 0, data), start(0), wait(0)};
    if (rank == 1) return ListSchedule::Program{receive(0, 0, data), start(0), wait(0)};
    return ListSchedule::Program{start(0), wait(0)};
  });
  CHECK_THROWS_WITH_AS(comm::Exchange(comm, large, put()),
                       "A message of 17179869176 bytes exceeds the 32-bit counts of MPI. Use isend_irecv.",
                       ConfigError);
  // One rank receives more than there is shared memory, in small messages.
  constexpr std::int64_t kPart = std::int64_t{1} << 30;
  constexpr int kParts = 4096;
  const ListSchedule wide(comm.size(), {{"data"}, {"more"}}, {kParts * kPart, kParts * kPart},
                          [&](Rank rank) {
                            ListSchedule::Program program;
                            for (int part = 0; part < kParts && rank < 2; ++part) {
                              const Block data{rank, part * kPart, kPart};
                              program.push_back(rank == 0 ? send(1, 0, data) : receive(0, 0, data));
                            }
                            program.push_back(start(0));
                            program.push_back(wait(0));
                            return program;
                          });
  CHECK_THROWS_WITH_AS(comm::Exchange(comm, wide, put()), doctest::Contains("MB is needed on a node, but "),
                       ConfigError);
  comm::Exchange(comm, all_pairs(comm.size(), 1), put());
}
