#include "halcyon/comm/exchange/recorder.hpp"

#include <chrono>
#include <filesystem>
#include <thread>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/schedule.hpp"
#include "halcyon/schedule/sequence.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// The computing time that a record has for a rank.
double compute_s(const Schedule& schedule, Rank rank) {
  double total_s = 0;
  for (const auto& operation : operations(schedule, rank)) total_s += operation.seconds;
  return total_s;
}

}  // namespace

TEST_CASE("comm: what a run has recorded replays: its messages, in its order, and its computation") {
  const comm::Communicator comm(world());
  const auto n = comm.size();
  const auto sum = std::make_shared<Allreduce>(n, 8, 2);
  const auto blocks = std::make_shared<UniformBlocks>(16);
  const auto ring = std::make_shared<RingAlltoall>(n, RankGroups{n}, blocks, 1);
  const Sequence computes(
      {std::make_shared<Computation>(n, 0, 2e-3), sum, std::make_shared<Computation>(n, 1, 1e-3)});

  const auto recorder = std::make_shared<comm::Recorder>();
  comm.set_recorder(recorder);
  comm::Execution sum_execution(comm, computes, comm::method_named("isend_irecv")),
      ring_execution(comm, *ring, comm::method_named("shared"));
  comm.set_recorder(nullptr);
  comm::Execution unrecorded(comm, *ring, comm::method_named("isend_irecv"));
  for (int step = 0; step < 3; ++step) {
    sum_execution.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ring_execution.run();
    unrecorded.run();
  }
  const auto path = std::filesystem::temp_directory_path() / fmt::format("halcyon_recorder_test_{}.txt", n);
  recorder->write(comm, path);
  const auto record = RecordedSchedule::read(path);
  comm.agree([] {});
  if (comm.rank() == 0) std::filesystem::remove(path);

  REQUIRE(record.n_ranks() == n);
  for (Rank rank = 0; rank < n; ++rank) {
    check(record, rank);
    CHECK(count(record, rank).sent_bytes ==
          3 * (count(*sum, rank).sent_bytes + count(*ring, rank).sent_bytes));
    CHECK(count(record, rank).rounds == 3 * (count(*sum, rank).rounds + count(*ring, rank).rounds));
    // 2 ms and 1 ms are the computations of the schedule, and 2 ms the sleep between two executions.
    CHECK(compute_s(record, rank) >= 3 * (2e-3 + 1e-3 + 2e-3));
  }
  // The replay moves data as the run did: three sums over n ranks multiply "data" by n each.
  std::vector<Memory> memory;
  std::vector<Buffers> spans;
  for (Rank rank = 0; rank < n; ++rank) {
    memory.emplace_back(record, rank);
    *memory.back().as<double>(0) = 1;
  }
  for (auto& of_rank : memory) spans.push_back(of_rank.spans());
  run_in_process(record, spans, [](Rank) { return Callbacks{.combine = sum_of<double>(), .work = {}}; });
  for (auto& of_rank : memory) CHECK(*of_rank.as<double>(0) == n * n * n);
}

TEST_CASE("comm: a record that cannot be written is an error on all ranks") {
  const comm::Communicator comm(world());
  CHECK_THROWS_WITH_AS(
      comm::Recorder().write(comm, "/nowhere/run.txt"),
      "Cannot write /nowhere/run.txt: No such file or directory. Check the folder, its permissions and "
      "free space.",
      RunError);
}

TEST_CASE("comm: an execution runs a schedule in memory of its own, again and again") {
  const comm::Communicator comm(world());
  const auto n = comm.size();
  const Allreduce sum(n, 16, 3);
  comm::Execution execution(comm, sum, comm::method_named("auto"));
  const auto data = execution.buffer("data");
  REQUIRE(data.size() == 16);
  auto* numbers = reinterpret_cast<double*>(data.data());
  numbers[0] = comm.rank() + 1;
  execution.run();
  execution.run();
  CHECK(numbers[0] == n * (n * (n + 1) / 2));
  CHECK(execution.exchange().statistics().n_exchanges == 2);
  CHECK_THROWS_WITH_AS(execution.buffer("dta"), "The schedule has no buffer 'dta'. It has data, arrived.",
                       ConfigError);
}
