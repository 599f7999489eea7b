// Times a pipeline of groups, whose communication overlaps with sleep, with any MPI library; prints JSON.
//
//   mpirun -n N overlap METHOD BYTES RATIO TRIALS PROGRESS GROUPS...
//
// BYTES: per rank, of all groups. RATIO: time of the computation over time of the exchange in one group.
// PROGRESS: none, poll or thread. GROUPS: numbers of groups. Times [s] are means over the trials, of the
// slowest rank, after a barrier; times in starts and waits ("calls") are means over ranks.

#include <fmt/ranges.h>
#include <mpi.h>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/comm/threads.hpp"
#include "halcyon/schedule/pipeline.hpp"

using namespace halcyon;

namespace {

using Executions = std::vector<std::unique_ptr<comm::Execution>>;

struct Times {
  double total_s = 0, calls_s = 0;  ///< of a run; in starts and waits
};

struct Task {
  const comm::Communicator& comm;
  comm::Method method;
  std::int64_t bytes;                                    ///< per rank
  std::shared_ptr<const comm::Progress> none, progress;  ///< no progress; the requested progress

  /// A pipeline of `groups` groups with `compute_s` [s] of computation in all groups together.
  std::unique_ptr<comm::Execution> execution(int groups, double compute_s,
                                             const std::shared_ptr<const comm::Progress>& used) const {
    const auto blocks = std::make_shared<schedule::UniformBlocks>(bytes / comm.size() / groups);
    const schedule::FieldGroup group{blocks, nullptr, [=](Rank) { return compute_s / groups; }};
    const schedule::RankGroups all{comm.size(), 1};
    const schedule::Pipeline pipeline(comm.size(), all, all, std::vector(groups, group));
    return std::make_unique<comm::Execution>(comm, pipeline, method, schedule::CombineOperator{}, used);
  }
};

/// Collective. The maximum over ranks.
double largest(const comm::Communicator& comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm.get());
  return value;
}

/// Accumulated time in starts and waits on this rank [s].
double calls_s(const comm::Execution& execution) {
  const auto statistics = execution.exchange().statistics();
  return statistics.transfer_s + statistics.wait_s;
}

/// Collective. Runs once, and adds the times divided by `trials` to the means.
void run(const comm::Communicator& comm, comm::Execution& execution, int trials, Times& times) {
  const double before = calls_s(execution);
  comm::check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const double begin = MPI_Wtime();
  execution.run();
  times.total_s += largest(comm, MPI_Wtime() - begin) / trials;
  double sum_s = calls_s(execution) - before;
  MPI_Allreduce(MPI_IN_PLACE, &sum_s, 1, MPI_DOUBLE, MPI_SUM, comm.get());
  times.calls_s += sum_s / comm.size() / trials;
}

/// Collective. Mean times of each execution over the trials, in turns; the first turn is not counted.
std::vector<Times> mean_times(const comm::Communicator& comm, const Executions& runs, int trials) {
  std::vector<Times> times;
  for (int trial = -1; trial < trials; ++trial) {
    if (trial <= 0) times.assign(runs.size(), {});
    for (std::size_t i = 0; i < runs.size(); ++i) run(comm, *runs[i], trials, times[i]);
  }
  return times;
}

/// Collective. The blocking exchange in one group and the pipeline, as JSON.
std::string row(const Task& task, int groups, double compute_s, int trials) {
  Executions runs;
  runs.push_back(task.execution(1, compute_s, task.none));
  runs.push_back(task.execution(groups, compute_s, task.progress));
  const auto times = mean_times(task.comm, runs, trials);
  return fmt::format(
      R"({{"groups": {}, "blocking_s": {}, "blocking_calls_s": {}, "total_s": {}, "calls_s": {}}})", groups,
      times[0].total_s, times[0].calls_s, times[1].total_s, times[1].calls_s);
}

void measure(const comm::Communicator& comm, std::span<char*> words) {
  require<ConfigError>(words.size() > 5, "Usage: overlap METHOD BYTES RATIO TRIALS PROGRESS GROUPS...");
  const auto progress_named = [&](const char* name) {
    return std::make_shared<comm::Progress>(comm, comm::progress_mode_named(name));
  };
  const Task task{comm, comm::method_named(words[0]), std::stoll(words[1]), progress_named("none"),
                  progress_named(words[4])};
  Executions alone;
  alone.push_back(task.execution(1, 0, task.none));
  const double compute_s = std::stod(words[2]) * mean_times(comm, alone, 3)[0].total_s;
  std::vector<std::string> rows;
  for (const std::string groups : words.subspan(5))
    rows.push_back(row(task, std::stoi(groups), compute_s, std::stoi(words[3])));
  if (comm.rank() == 0)
    fmt::print(R"({{"own_progress": "{}", "progress": "{}", "compute_s": {}, "rows": [{}]}})"
               "\n",
               comm::mpi_progress_variable(), task.progress->description(), compute_s, fmt::join(rows, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  int thread_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
  try {
    measure(comm::Communicator(MPI_COMM_WORLD), std::span(argv, argc).subspan(1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
