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

/// Simulated work that reports a time for each exchange setting [s]: the full time on the last rank, less on
/// others.
class SimulatedWork {
 public:
  explicit SimulatedWork(std::function<double(const ExchangeSettings&)> seconds)
      : seconds_(std::move(seconds)) {}

  std::vector<TimedSettings> tuned(const comm::Communicator& comm, const TuningCandidates& choices,
                                   Rank largest_set = 8, int max_groups = 100, int n_components = 1) {
    return fastest_with_clock(
        comm, {largest_set, max_groups, n_components}, choices,
        [&](const ExchangeSettings& settings) { settings_ = settings; },
        [&] { return seconds_(settings_) * (comm.rank() + 1) / comm.size(); });
  }
  const ExchangeSettings& settings() const { return settings_; }

 private:
  std::function<double(const ExchangeSettings&)> seconds_;
  ExchangeSettings settings_;
};

TuningCandidates few(const comm::Communicator& comm) {
  TuningCandidates choices{.progress = all_progress(comm), .repetitions = 2};
  return choices;
}

TuningCandidates one_or_three_groups(const comm::Communicator& comm) {
  return {.methods = {comm::method_named("isend_irecv")},
          .algorithms = {{AlltoallAlgorithm::burst}},
          .groups = {1, 3},
          .ahead = {1},
          .progress = {std::make_shared<comm::Progress>(comm, comm::ProgressMode::none)},
          .repetitions = 2};
}

comm::ProgressMode by_of(const ExchangeSettings& settings) {
  return settings.progress->mode();
}

/// Returns the smallest time for ring-1 with persistent requests, three groups, polling and two ahead; each
/// of these reduces the time independently.
double with_one_best(const ExchangeSettings& settings) {
  double seconds = 1;
  if (settings.algorithm != schedule::AlltoallMethod{AlltoallAlgorithm::ring, 1}) seconds *= 1.1;
  if (settings.method != comm::method_named("persistent")) seconds *= 1.1;
  if (settings.groups != 3) seconds *= 1.1;
  if (by_of(settings) != comm::ProgressMode::poll) seconds *= 1.1;
  if (settings.ahead != 2) seconds *= 1.1;
  return seconds;
}

}  // namespace

TEST_CASE(
    "transform: a tuning finds method, algorithm, groups, progress and groups ahead, alike on all ranks") {
  const comm::Communicator comm(world());
  SimulatedWork pretended(with_one_best);
  const auto tried = pretended.tuned(comm, few(comm));
  if (comm.size() == 1) {
    CHECK(tried.empty());
    return;
  }
  const auto& best = tried.front().settings;
  CHECK(schedule::name_of(best.algorithm) == "ring-1");
  CHECK(best.method == comm::method_named("persistent"));
  CHECK(best.groups == 3);
  CHECK(by_of(best) == comm::ProgressMode::poll);
  CHECK(best.ahead == 2);
  CHECK(pretended.settings().groups == 3);
  CHECK(pretended.settings().ahead == 2);
  for (std::size_t i = 2; i < tried.size(); ++i) CHECK(tried[i - 1].seconds <= tried[i].seconds);
  CHECK(comm.min(std::ssize(tried)) == comm.max(std::ssize(tried)));
  for (const auto& [settings, seconds] : tried) {
    const auto nanoseconds = static_cast<std::int64_t>(1e9 * seconds);
    CHECK(comm.min(nanoseconds) == comm.max(nanoseconds));
    CHECK(comm.min(settings.groups) == comm.max(settings.groups));
  }
  CHECK(tried.size() <
        80);  // of 480 combinations: 4 methods, 5 algorithms, 4 groups, 3 kinds of progress and 2 ahead
}

TEST_CASE("transform: a tuning prefers what is simpler where nothing is gained") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto choices = one_or_three_groups(comm);
  const auto chosen_groups = [&](double three_s) {
    return SimulatedWork(
               [&](const ExchangeSettings& settings) { return settings.groups == 3 ? three_s : 100; })
        .tuned(comm, choices)
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
  auto choices = one_or_three_groups(comm);
  choices.repetitions = 3;
  // Each round runs the work twice, and the first run does not count; three groups take 5 % longer in the
  // third round.
  const auto chosen_groups = [&](double three_s, double later) {
    int n_of_three = 0;
    return SimulatedWork([&](const ExchangeSettings& settings) {
             if (settings.groups != 3) return 100.0;
             return ++n_of_three > 4 ? later * three_s : three_s;
           })
        .tuned(comm, choices)
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
  auto choices = few(comm);
  choices.repetitions = 1;
  const auto n_tried = [&](Rank largest_set) {
    return SimulatedWork([](const ExchangeSettings&) { return 0.0; })
        .tuned(comm, choices, largest_set)
        .size();
  };
  choices.groups = {1};
  CHECK(n_tried(2) == 4);   // one per method
  CHECK(n_tried(3) == 8);   // plus isend_irecv and persistent with bruck and ring-1
  CHECK(n_tried(8) == 10);  // plus ring-4
  choices.methods = {comm::method_named("alltoallv")};
  choices.groups = {1, 3};
  CHECK(n_tried(8) == 2);
  choices.algorithms = {{AlltoallAlgorithm::bruck}};  // in several rounds, if nothing else is given
  CHECK(n_tried(8) == 2);
  choices.methods = {comm::method_named("isend_irecv")};
  CHECK(n_tried(8) == 1 + choices.progress.size() * 2);
}

TEST_CASE("transform: a tuning tries as many groups as there can be, and of several components one, too") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto choices = few(comm);
  choices.methods = {comm::method_named("isend_irecv")}, choices.algorithms = {{AlltoallAlgorithm::burst}};
  choices.progress.resize(2);
  choices.groups = {1, 4, 9}, choices.repetitions = 1;
  const auto tried = [&](int max_groups, int n_components) {
    std::vector<std::string> found;
    for (const auto& [settings, seconds] : SimulatedWork([](const ExchangeSettings&) {
                                             return 0.0;
                                           }).tuned(comm, choices, 8, max_groups, n_components))
      found.push_back(
          fmt::format("{} {} {}", settings.groups, settings.ahead, comm::name_of(by_of(settings))));
    std::ranges::sort(found);
    return found;
  };
  choices.ahead = {1};
  CHECK(tried(9, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll", "9 1 none", "9 1 poll"});
  CHECK(tried(5, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll", "5 1 none", "5 1 poll"});
  CHECK(tried(4, 1) == std::vector<std::string>{"1 1 none", "4 1 none", "4 1 poll"});
  CHECK(tried(1, 1) == std::vector<std::string>{"1 1 none"});
  choices.ahead = {1, 2, 3};
  CHECK(tried(1, 1) == std::vector<std::string>{"1 1 none"});
  CHECK(tried(1, 2) == std::vector<std::string>{"1 1 none", "1 1 poll", "1 2 none", "1 2 poll"});
}

TEST_CASE("transform: the order in which choices are given does not matter") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto choices = few(comm);
  std::ranges::reverse(choices.progress);
  choices.groups = {4, 1, 4}, choices.ahead = {2, 1};
  SimulatedWork pretended([](const ExchangeSettings&) { return 1.0; });
  const auto found = pretended.tuned(comm, choices).front().settings;
  CHECK(by_of(found) == comm::ProgressMode::none);
  CHECK(found.groups == 1);
  CHECK(found.ahead == 1);
}

TEST_CASE("transform: ranks that would tune differently are told") {
  const comm::Communicator comm(world());
  if (comm.size() == 1) return;
  auto choices = few(comm);
  choices.repetitions = 1 + comm.rank();
  SimulatedWork pretended([](const ExchangeSettings&) { return 1.0; });
  CHECK_THROWS_AS(pretended.tuned(comm, choices), ConfigError);
}

TEST_CASE("transform: a tuning without a choice is refused on all ranks") {
  const comm::Communicator comm(world());
  const auto refused = [&](auto change) {
    auto choices = few(comm);
    change(choices);
    CHECK_THROWS_AS(SimulatedWork([](const ExchangeSettings&) { return 0.0; }).tuned(comm, choices),
                    ConfigError);
  };
  refused([](TuningCandidates& c) { c.methods.clear(); });
  refused([](TuningCandidates& c) { c.progress.clear(); });
  refused([](TuningCandidates& c) { c.groups = {2, 0}; });
  refused([](TuningCandidates& c) { c.ahead = {-1}; });
  refused([&](TuningCandidates& c) { c.repetitions = comm.rank() == 0 ? 0 : 1; });
}
