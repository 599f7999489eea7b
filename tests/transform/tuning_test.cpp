#include "halcyon/transform/share/tuning.hpp"

#include <algorithm>
#include <memory>

#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace halcyon::transform;
using schedule::AlltoallAlgorithm;

namespace {

/// Simulated work: its clock reports `seconds` of the exchange settings in use on the last rank, and less on
/// other ranks.
class SimulatedWork {
 public:
  explicit SimulatedWork(std::function<double(const ExchangeSettings&)> seconds)
      : seconds_(std::move(seconds)) {}

  std::vector<TimedSettings> tune(const comm::Communicator& comm, const TuningCandidates& candidates,
                                  Rank largest_set = 8, int max_groups = 100, int n_components = 1) {
    return fastest_with_clock(
        comm, {largest_set, max_groups, n_components}, candidates,
        [&](const ExchangeSettings& settings) { settings_ = settings; },
        [&] { return seconds_(settings_) * (comm.rank() + 1) / comm.size(); });
  }
  const ExchangeSettings& settings() const { return settings_; }

 private:
  std::function<double(const ExchangeSettings&)> seconds_;
  ExchangeSettings settings_;
};

/// The default candidates, with two repetitions.
TuningCandidates default_candidates(const comm::Communicator& comm) {
  TuningCandidates candidates{.progress = all_progress(comm), .repetitions = 2};
  return candidates;
}

TuningCandidates one_or_three_groups(const comm::Communicator& comm) {
  return {.methods = {comm::method_named("isend_irecv")},
          .algorithms = {{AlltoallAlgorithm::burst}},
          .groups = {1, 3},
          .ahead = {1},
          .progress = {std::make_shared<comm::Progress>(comm, comm::ProgressMode::none)},
          .repetitions = 2};
}

comm::ProgressMode progress_mode(const ExchangeSettings& settings) {
  return settings.progress->mode();
}

/// Time [s] that is 1 s for ring-1, persistent requests, three groups, polling and two groups ahead; any
/// other value of one of these settings takes 10 % longer.
double time_with_one_minimum(const ExchangeSettings& settings) {
  double seconds = 1;
  if (settings.algorithm != schedule::AlltoallMethod{AlltoallAlgorithm::ring, 1}) seconds *= 1.1;
  if (settings.method != comm::method_named("persistent")) seconds *= 1.1;
  if (settings.groups != 3) seconds *= 1.1;
  if (progress_mode(settings) != comm::ProgressMode::poll) seconds *= 1.1;
  if (settings.ahead != 2) seconds *= 1.1;
  return seconds;
}

}  // namespace

TEST_CASE(
    "transform: a tuning finds method, algorithm, groups, progress and groups ahead, alike on all ranks") {
  const comm::Communicator comm(world());
  SimulatedWork work(time_with_one_minimum);
  const auto tried = work.tune(comm, default_candidates(comm));
  if (comm.size() == 1) {
    CHECK(tried.empty());
    return;
  }
  const auto& best = tried.front().settings;
  CHECK(schedule::name_of(best.algorithm) == "ring-1");
  CHECK(best.method == comm::method_named("persistent"));
  CHECK(best.groups == 3);
  CHECK(progress_mode(best) == comm::ProgressMode::poll);
  CHECK(best.ahead == 2);
  CHECK(work.settings().groups == 3);
  CHECK(work.settings().ahead == 2);
  for (std::size_t i = 2; i < tried.size(); ++i) CHECK(tried[i - 1].seconds <= tried[i].seconds);
  CHECK(comm.min(std::ssize(tried)) == comm.max(std::ssize(tried)));
  for (const auto& [settings, seconds] : tried) {
    const auto nanoseconds = static_cast<std::int64_t>(1e9 * seconds);
    CHECK(comm.min(nanoseconds) == comm.max(nanoseconds));
    CHECK(comm.min(settings.groups) == comm.max(settings.groups));
  }
  CHECK(
      tried.size() <
      80);  // of 480 combinations: 4 methods, 5 algorithms, 4 numbers of groups, 3 progress modes, 2 `ahead`
}

TEST_CASE("transform: a tuning prefers what is simpler where nothing is gained") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = one_or_three_groups(comm);
  const auto chosen_groups = [&](double three_s) {  // one group takes 100 s
    return SimulatedWork(
               [&](const ExchangeSettings& settings) { return settings.groups == 3 ? three_s : 100; })
        .tune(comm, candidates)
        .front()
        .settings.groups;
  };
  CHECK(chosen_groups(97.5) == 1);  // gains of up to 3 % are ignored
  CHECK(chosen_groups(96) == 3);
  CHECK(chosen_groups(80) == 3);
}

TEST_CASE("transform: a tuning takes for noise what turns differ by") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = one_or_three_groups(comm);
  candidates.repetitions = 3;
  // One group takes 100 s. Each round runs the work twice, and the first run does not count; in the third
  // round three groups take longer by the factor `later`.
  const auto chosen_groups = [&](double three_s, double later) {
    int n_runs_of_three = 0;
    return SimulatedWork([&](const ExchangeSettings& settings) {
             if (settings.groups != 3) return 100.0;
             return ++n_runs_of_three > 4 ? later * three_s : three_s;
           })
        .tune(comm, candidates)
        .front()
        .settings.groups;
  };
  CHECK(chosen_groups(94, 1.0) == 3);
  CHECK(chosen_groups(94, 1.08) == 1);
  CHECK(chosen_groups(80, 1.5) == 3);  // noise is limited to 10 %
}

TEST_CASE("transform: a tuning leaves out what is another choice in disguise") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = default_candidates(comm);
  candidates.repetitions = 1;
  const auto n_tried = [&](Rank largest_set) {
    return SimulatedWork([](const ExchangeSettings&) { return 0.0; })
        .tune(comm, candidates, largest_set)
        .size();
  };
  candidates.groups = {1};
  CHECK(n_tried(2) == 4);   // one per method
  CHECK(n_tried(3) == 8);   // plus isend_irecv and persistent with bruck and ring-1
  CHECK(n_tried(8) == 10);  // plus isend_irecv and persistent with ring-4
  candidates.methods = {comm::method_named("alltoallv")};
  candidates.groups = {1, 3};
  CHECK(n_tried(8) == 2);
  candidates.algorithms = {{AlltoallAlgorithm::bruck}};  // alltoallv takes it if burst is not a candidate
  CHECK(n_tried(8) == 2);
  candidates.methods = {comm::method_named("isend_irecv")};
  CHECK(n_tried(8) == 1 + candidates.progress.size() * 2);
}

TEST_CASE("transform: a tuning tries as many groups as there can be, and of several components one, too") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = default_candidates(comm);
  candidates.methods = {comm::method_named("isend_irecv")},
  candidates.algorithms = {{AlltoallAlgorithm::burst}};
  candidates.progress.resize(2);
  candidates.groups = {1, 4, 9}, candidates.repetitions = 1;
  const auto tried = [&](int max_groups, int n_components) {
    std::vector<std::string> tried_settings;  // groups, ahead and progress
    for (const auto& [settings, seconds] : SimulatedWork([](const ExchangeSettings&) {
                                             return 0.0;
                                           }).tune(comm, candidates, 8, max_groups, n_components))
      tried_settings.push_back(
          fmt::format("{} {} {}", settings.groups, settings.ahead, comm::name_of(progress_mode(settings))));
    std::ranges::sort(tried_settings);
    return tried_settings;
  };
  candidates.ahead = {1};
  CHECK(tried(9, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll", "9 1 none", "9 1 poll"});
  CHECK(tried(5, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll", "5 1 none", "5 1 poll"});
  CHECK(tried(4, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll"});
  CHECK(tried(1, 1) == std::vector<std::string>{"1 1 none"});
  candidates.ahead = {1, 2, 3};
  CHECK(tried(1, 1) == std::vector<std::string>{"1 1 none"});
  CHECK(tried(1, 2) == std::vector<std::string>{"1 1 none", "1 1 poll", "1 2 none", "1 2 poll"});
}

TEST_CASE("transform: the order in which choices are given does not matter") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = default_candidates(comm);
  std::ranges::reverse(candidates.progress);
  candidates.groups = {4, 1, 4}, candidates.ahead = {2, 1};
  SimulatedWork work([](const ExchangeSettings&) { return 1.0; });
  const auto chosen = work.tune(comm, candidates).front().settings;
  CHECK(progress_mode(chosen) == comm::ProgressMode::none);
  CHECK(chosen.groups == 1);
  CHECK(chosen.ahead == 1);
}

TEST_CASE("transform: ranks that would tune differently are told") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto candidates = default_candidates(comm);
  candidates.repetitions = 1 + comm.rank();
  SimulatedWork work([](const ExchangeSettings&) { return 1.0; });
  CHECK_THROWS_AS(work.tune(comm, candidates), ConfigError);
}

TEST_CASE("transform: a tuning without a choice is refused on all ranks") {
  const comm::Communicator comm(world());
  const auto check_refused = [&](auto change) {
    auto candidates = default_candidates(comm);
    change(candidates);
    CHECK_THROWS_AS(SimulatedWork([](const ExchangeSettings&) { return 0.0; }).tune(comm, candidates),
                    ConfigError);
  };
  check_refused([](TuningCandidates& candidates) { candidates.methods.clear(); });
  check_refused([](TuningCandidates& candidates) { candidates.progress.clear(); });
  check_refused([](TuningCandidates& candidates) { candidates.groups = {2, 0}; });
  check_refused([](TuningCandidates& candidates) { candidates.ahead = {-1}; });
  check_refused([&](TuningCandidates& candidates) { candidates.repetitions = comm.rank() == 0 ? 0 : 1; });
}
