#include "halcyon/transform/share/tuning.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/threads.hpp"

namespace halcyon::transform {
namespace {

using comm::Method, comm::ProgressMode;
using schedule::AlltoallAlgorithm, schedule::AlltoallMethod;

constexpr std::size_t kShortlisted = 3;  // pairs or settings kept for the next stage
// Simpler settings are chosen if they are slower than the fastest by at most this fraction.
constexpr double kMinTolerance = 0.03, kMaxTolerance = 0.10;
constexpr int kRounds = 3;  // in the last stage, each candidate is measured once per round

/// Sort key, smaller for simpler settings: (thread, groups, ahead, indices of progress, algorithm, method).
using Complexity = std::tuple<bool, int, int, std::size_t, std::size_t, std::size_t>;

/// Settings that may be selected, and their times [s].
struct Candidate {
  ExchangeSettings settings;
  Complexity complexity;
  double best_s = std::numeric_limits<double>::infinity();
  double worst_round_s = 0;  ///< shortest time in the slowest round
};

class Search {
 public:
  Search(const comm::Communicator& comm, const TuningLimits& limits, const TuningCandidates& choices,
         const std::function<void(const ExchangeSettings&)>& set_exchange,
         const std::function<double()>& measure_s)
      : comm_(comm), limits_(limits), choices_(choices), set_exchange_(set_exchange), measure_s_(measure_s) {}

  std::vector<TimedSettings> run() {
    auto all = vary_groups_and_progress(method_algorithm_pairs());
    if (all.size() > kShortlisted + 1) {
      measure(all, /*rounds=*/1, half_of_repetitions_);
      all = shortlisted(all);
    }
    all = vary_ahead(all);
    const int rounds = std::min(kRounds, choices_.repetitions);
    measure(all, rounds, (choices_.repetitions + rounds - 1) / rounds);
    const auto selected = select(all);
    set_exchange_(selected.settings);
    return sorted_results(selected.complexity);
  }

 private:
  bool is_listed(AlltoallAlgorithm algorithm) const {
    return std::ranges::find(choices_.algorithms, algorithm, &AlltoallMethod::algorithm) !=
           choices_.algorithms.end();
  }
  /// Whether settings with this method and algorithm differ from those with the burst algorithm.
  bool is_distinct(Method method, AlltoallMethod algorithm) const {
    if (algorithm.algorithm == AlltoallAlgorithm::burst || !is_listed(AlltoallAlgorithm::burst)) return true;
    if (method->collective) return false;  // its only call is the complete all-to-all
    return algorithm.algorithm == AlltoallAlgorithm::bruck ? limits_.largest_set > 2
                                                           : algorithm.k < limits_.largest_set - 1;
  }

  /// Whether messages can be in flight while ranks compute.
  bool overlaps(int groups, Method method) const {
    return groups * limits_.n_components > 1 && (method->overlaps || !method->collective);
  }
  /// Returns the smallest positive number of groups ahead in the list; 0 if there is none.
  int smallest_ahead() const {
    const auto first = std::ranges::find_if(choices_.ahead, [](int ahead) { return ahead > 0; });
    return first != choices_.ahead.end() ? *first : choices_.ahead.front();
  }

  Candidate candidate(std::size_t method, std::size_t algorithm, int groups, std::size_t progress,
                      int ahead) const {
    const auto& progress_kind = choices_.progress[progress];
    return {{choices_.algorithms[algorithm], choices_.methods[method], progress_kind, groups, ahead},
            {progress_kind->mode() == ProgressMode::thread, groups, ahead, progress, algorithm, method}};
  }

  /// Stage 1: returns the fastest pairs (method, algorithm), by index.
  std::vector<std::pair<std::size_t, std::size_t>> method_algorithm_pairs() {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t algorithm = 0; algorithm < choices_.algorithms.size(); ++algorithm)
      for (std::size_t method = 0; method < choices_.methods.size(); ++method)
        if (is_distinct(choices_.methods[method], choices_.algorithms[algorithm]))
          pairs.emplace_back(method, algorithm);
    if (pairs.size() <= kShortlisted) return pairs;
    const auto& groups = choices_.groups;
    const int median_groups = groups[groups.size() / 2];
    std::vector<Candidate> tried;
    for (const auto& [method, algorithm] : pairs) {
      tried.push_back(candidate(method, algorithm, groups.front(), 0, smallest_ahead()));
      if (median_groups > groups.front())
        tried.push_back(candidate(method, algorithm, median_groups, 0, smallest_ahead()));
    }
    measure(tried, /*rounds=*/1, half_of_repetitions_);
    std::ranges::stable_sort(tried, {}, &Candidate::best_s);
    pairs.clear();
    for (const auto& candidate : tried) {
      const auto& [thread, n_groups, ahead, progress, algorithm, method] = candidate.complexity;
      const std::pair pair(method, algorithm);
      if (pairs.size() < kShortlisted && std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
    return pairs;
  }

  /// Stage 2: combines the pairs (method, algorithm) with numbers of groups and kinds of progress.
  std::vector<Candidate> vary_groups_and_progress(
      const std::vector<std::pair<std::size_t, std::size_t>>& method_algorithm_pairs) const {
    std::vector<Candidate> candidates;
    for (const auto& [method, algorithm] : method_algorithm_pairs)
      for (const int groups : choices_.groups)
        for (std::size_t progress = 0; progress < choices_.progress.size(); ++progress)
          if (progress == 0 || (smallest_ahead() > 0 && overlaps(groups, choices_.methods[method])))
            candidates.push_back(candidate(method, algorithm, groups, progress, smallest_ahead()));
    return candidates;
  }

  /// Returns the fastest candidates and the simplest one within kMaxTolerance of the fastest.
  static std::vector<Candidate> shortlisted(std::vector<Candidate> all) {
    std::ranges::stable_sort(all, {}, &Candidate::best_s);
    const auto simplest = simplest_within(all, kMaxTolerance);
    all.resize(kShortlisted);
    if (std::ranges::find(all, simplest.complexity, &Candidate::complexity) == all.end())
      all.push_back(simplest);
    return all;
  }

  /// Stage 3: varies the number of groups ahead; with 0, exchanges block and progress has no effect.
  std::vector<Candidate> vary_ahead(const std::vector<Candidate>& all) const {
    std::vector<Candidate> candidates;
    for (const auto& shortlisted : all)
      for (const int ahead : choices_.ahead) {
        const auto& [thread, groups, current_ahead, progress, algorithm, method] = shortlisted.complexity;
        const bool is_new = ahead > 0 ? ahead <= groups * limits_.n_components : progress == 0;
        if (ahead == current_ahead || (is_new && overlaps(groups, shortlisted.settings.method)))
          candidates.push_back(candidate(method, algorithm, groups, progress, ahead));
      }
    return candidates;
  }

  /// Measures all candidates in each round, so that other load on the machine affects all alike.
  void measure(std::vector<Candidate>& all, int rounds, int repetitions) {
    for (int round = 0; round < rounds; ++round)
      for (auto& candidate : all) {
        set_exchange_(candidate.settings);
        const double seconds = slowest_s(repetitions);
        candidate.best_s = std::min(candidate.best_s, seconds);
        candidate.worst_round_s = std::max(candidate.worst_round_s, seconds);
        auto& timed = measured_.try_emplace(candidate.complexity, TimedSettings{candidate.settings, seconds})
                          .first->second;
        timed.seconds = std::min(timed.seconds, seconds);
      }
  }

  /// Returns the shortest time of several repetitions, each measured on its slowest rank, 1 ns or more. The
  /// first repetition, which builds the exchanges, is not counted.
  double slowest_s(int repetitions) const {
    measure_s_();
    auto best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < repetitions; ++i) {
      comm_.max(0);  // synchronizes the ranks
      best = std::min(best, comm_.max(std::max(1LL, std::llround(1e9 * measure_s_()))));
    }
    return 1e-9 * static_cast<double>(best);
  }

  /// Returns the simplest candidate within a relative tolerance of the time of the fastest candidate.
  static Candidate simplest_within(const std::vector<Candidate>& all, double tolerance) {
    const double best_s = std::ranges::min(all, {}, &Candidate::best_s).best_s;
    const Candidate* simplest = nullptr;
    for (const auto& candidate : all)
      if (candidate.best_s <= (1 + tolerance) * best_s &&
          (!simplest || candidate.complexity < simplest->complexity))
        simplest = &candidate;
    return *simplest;
  }

  /// The tolerance is the relative difference between rounds of the fastest candidate.
  static Candidate select(const std::vector<Candidate>& all) {
    const auto& fastest = std::ranges::min(all, {}, &Candidate::best_s);
    const double spread = fastest.worst_round_s / fastest.best_s - 1;
    return simplest_within(all, std::clamp(spread, kMinTolerance, kMaxTolerance));
  }

  /// Returns the selected settings, then the others by time.
  std::vector<TimedSettings> sorted_results(const Complexity& selected) const {
    std::vector<TimedSettings> all{measured_.at(selected)};
    for (const auto& [complexity, tried] : measured_)
      if (complexity != selected) all.push_back(tried);
    std::stable_sort(all.begin() + 1, all.end(),
                     [](const TimedSettings& a, const TimedSettings& b) { return a.seconds < b.seconds; });
    return all;
  }

  const comm::Communicator& comm_;
  TuningLimits limits_;
  const TuningCandidates& choices_;
  int half_of_repetitions_ = (choices_.repetitions + 1) / 2;  ///< for stages 1 and 2
  const std::function<void(const ExchangeSettings&)>& set_exchange_;
  const std::function<double()>& measure_s_;
  std::map<Complexity, TimedSettings> measured_;
};

/// Returns the lists sorted by complexity, without duplicates, with at most `max_groups` groups.
TuningCandidates normalized(TuningCandidates choices, int max_groups) {
  for (int& groups : choices.groups) groups = std::min(groups, max_groups);
  for (auto* counts : {&choices.groups, &choices.ahead}) {
    std::ranges::sort(*counts);
    counts->erase(std::ranges::unique(*counts).begin(), counts->end());
  }
  std::ranges::stable_sort(choices.progress, {}, [](const auto& progress) { return progress->mode(); });
  return choices;
}

void check(const TuningCandidates& choices) {
  require<ConfigError>(choices.repetitions >= 1, "{} repetitions were given. Give 1 or more.",
                       choices.repetitions);
  require<ConfigError>(!choices.methods.empty() && !choices.algorithms.empty() && !choices.groups.empty() &&
                           !choices.ahead.empty() && !choices.progress.empty(),
                       "A list of exchange settings to try is empty. Give one or more methods, algorithms, "
                       "groups, ahead and progress each.");
  for (const int n : choices.groups) require<ConfigError>(n >= 1, "{} groups were given. Give 1 or more.", n);
  for (const int n : choices.ahead)
    require<ConfigError>(n >= 0, "{} groups ahead were given. Give 0 or more.", n);
}

}  // namespace

void require_same_count(const comm::Communicator& comm, std::string_view name, std::int64_t count) {
  const auto largest = comm.max(count), smallest = -comm.max(-count);
  require<ConfigError>(largest == smallest,
                       "Ranks give different numbers of {2}, from {0} to {1}. Give the same on all ranks.",
                       smallest, largest, name);
}

std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::CoreBinding& core) {
  std::vector<std::shared_ptr<const comm::Progress>> all;
  for (const auto mode : kAllProgress)
    if (mode != ProgressMode::thread || comm::thread_level() == "MPI_THREAD_MULTIPLE")
      all.push_back(std::make_shared<comm::Progress>(comm, mode, core));
  return all;
}

std::vector<TimedSettings> fastest_with_clock(
    const comm::Communicator& comm, const TuningLimits& limits, const TuningCandidates& choices,
    const std::function<void(const ExchangeSettings&)>& set_exchange,
    const std::function<double()>& measure_s) {
  comm.agree([&] { check(choices); });
  if (comm.size() == 1) return {};
  require_same_count(comm, "repetitions", choices.repetitions);
  require_same_count(comm, "kinds of progress", std::ssize(choices.progress));
  const auto ordered = normalized(choices, limits.max_groups);
  return Search(comm, limits, ordered, set_exchange, measure_s).run();
}

std::vector<TimedSettings> fastest(const comm::Communicator& comm, const TuningLimits& limits,
                                   const TuningCandidates& choices,
                                   const std::function<void(const ExchangeSettings&)>& set_exchange,
                                   const std::function<void()>& work) {
  return fastest_with_clock(comm, limits, choices, set_exchange, [&] {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

std::vector<TimedSettings> tune(SharedTransform& transform, const comm::Communicator& comm,
                                const TuningCandidates& choices, int n_fields, std::size_t n_coefficients) {
  comm.agree([&] { require<ConfigError>(n_fields >= 1, "{} fields were given. Give 1 or more.", n_fields); });
  require_same_count(comm, "fields", n_fields);
  std::vector<double> values(n_fields * transform.n_points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);  // test data
  std::vector<Complex> coefficients(n_coefficients);
  const auto [n_v, n_w] = transform.extents().counts();
  const auto set_exchange = [&](const ExchangeSettings& settings) { transform.set_exchange(settings); };
  const TuningLimits limits{.largest_set = std::max(n_v, n_w), .max_groups = transform.max_groups(n_fields)};
  return fastest(comm, limits, choices, set_exchange, [&] {
    transform.analysis(values, coefficients);
    transform.synthesis(coefficients, values);
  });
}

}  // namespace halcyon::transform
