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

using comm::Method, comm::ProgressBy;
using schedule::AlltoallAlgorithm, schedule::AlltoallBy;

constexpr std::size_t kKept = 3;                   // of a stage, for the next one
constexpr double kLeastGain = 0.03, kNear = 0.10;  // of the fastest's time
constexpr int kTurns = 3;                          // of the last stage

/// The simpler, the less: thread, groups, ahead, and places in the lists of progress, algorithms and methods.
using Simplicity = std::tuple<bool, int, int, std::size_t, std::size_t, std::size_t>;

struct Candidate {
  Communication how;
  Simplicity simplicity;
  double best_s = std::numeric_limits<double>::infinity();
  double worst_turn_s = 0;  ///< the best of the turn in which that is longest
};

class Search {
 public:
  Search(const comm::Communicator& comm, const Limits& limits, const Choices& choices,
         const std::function<void(const Communication&)>& communicate, const std::function<double()>& taken)
      : comm_(comm), limits_(limits), choices_(choices), communicate_(communicate), taken_(taken) {}

  std::vector<Tried> found() {
    auto all = with_groups_and_progress(ways());
    if (all.size() > kKept + 1) {
      measure(all, 1, (choices_.repetitions + 1) / 2);
      all = kept(all);
    }
    all = with_ahead(all);
    const int turns = std::min(kTurns, choices_.repetitions);
    measure(all, turns, (choices_.repetitions + turns - 1) / turns);
    const auto best = chosen(all);
    communicate_(best.how);
    return listed(best.simplicity);
  }

 private:
  bool has(AlltoallAlgorithm algorithm) const {
    return std::ranges::find(choices_.algorithms, algorithm, &AlltoallBy::algorithm) !=
           choices_.algorithms.end();
  }
  bool is_way(Method method, AlltoallBy by) const {
    if (by.algorithm == AlltoallAlgorithm::burst || !has(AlltoallAlgorithm::burst)) return true;
    if (method->collective) return false;  // carries a whole all-to-all in one call
    return by.algorithm == AlltoallAlgorithm::bruck ? limits_.largest_set > 2
                                                    : by.k < limits_.largest_set - 1;
  }

  /// Whether something can be under way while ranks work.
  bool overlaps(int groups, Method method) const {
    return groups * limits_.n_components > 1 && (method->overlaps || !method->collective);
  }
  /// The least by which something is, where there is one.
  int first_ahead() const {
    const auto found = std::ranges::find_if(choices_.ahead, [](int ahead) { return ahead > 0; });
    return found != choices_.ahead.end() ? *found : choices_.ahead.front();
  }

  Candidate candidate(std::size_t method, std::size_t by, int groups, std::size_t progress, int ahead) const {
    const auto& how = choices_.progress[progress];
    return {{choices_.algorithms[by], choices_.methods[method], how, groups, ahead},
            {how->by() == ProgressBy::thread, groups, ahead, progress, by, method}};
  }

  /// Stage 1: places of methods and algorithms.
  std::vector<std::pair<std::size_t, std::size_t>> ways() {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t by = 0; by < choices_.algorithms.size(); ++by)
      for (std::size_t method = 0; method < choices_.methods.size(); ++method)
        if (is_way(choices_.methods[method], choices_.algorithms[by])) found.emplace_back(method, by);
    if (found.size() <= kKept) return found;
    const auto& groups = choices_.groups;
    std::vector<Candidate> tried;
    for (const auto& [method, by] : found) {
      tried.push_back(candidate(method, by, groups.front(), 0, first_ahead()));
      if (groups[groups.size() / 2] > groups.front())
        tried.push_back(candidate(method, by, groups[groups.size() / 2], 0, first_ahead()));
    }
    measure(tried, 1, (choices_.repetitions + 1) / 2);
    std::ranges::stable_sort(tried, {}, &Candidate::best_s);
    found.clear();
    for (const auto& each : tried) {
      const std::pair way(std::get<5>(each.simplicity), std::get<4>(each.simplicity));
      if (found.size() < kKept && std::ranges::find(found, way) == found.end()) found.push_back(way);
    }
    return found;
  }

  /// Stage 2.
  std::vector<Candidate> with_groups_and_progress(
      const std::vector<std::pair<std::size_t, std::size_t>>& ways) const {
    std::vector<Candidate> found;
    for (const auto& [method, by] : ways)
      for (const int groups : choices_.groups)
        for (std::size_t progress = 0; progress < choices_.progress.size(); ++progress)
          if (progress == 0 || (first_ahead() > 0 && overlaps(groups, choices_.methods[method])))
            found.push_back(candidate(method, by, groups, progress, first_ahead()));
    return found;
  }

  static std::vector<Candidate> kept(std::vector<Candidate> all) {
    std::ranges::stable_sort(all, {}, &Candidate::best_s);
    const auto simplest = simplest_within(all, kNear);
    all.resize(kKept);
    if (std::ranges::find(all, simplest.simplicity, &Candidate::simplicity) == all.end())
      all.push_back(simplest);
    return all;
  }

  /// Stage 3. More than all groups cannot be ahead; with none ahead ranks block, whoever makes progress.
  std::vector<Candidate> with_ahead(const std::vector<Candidate>& all) const {
    std::vector<Candidate> found;
    for (const auto& each : all)
      for (const int ahead : choices_.ahead) {
        const auto& [thread, groups, first, progress, by, method] = each.simplicity;
        const bool differs = ahead > 0 ? ahead <= groups * limits_.n_components : progress == 0;
        if (ahead == first || (differs && overlaps(groups, each.how.method)))
          found.push_back(candidate(method, by, groups, progress, ahead));
      }
    return found;
  }

  /// In turns, that what the machine does meanwhile falls to all alike.
  void measure(std::vector<Candidate>& all, int turns, int repetitions) {
    for (int turn = 0; turn < turns; ++turn)
      for (auto& each : all) {
        communicate_(each.how);
        const double seconds = slowest_s(repetitions);
        each.best_s = std::min(each.best_s, seconds);
        each.worst_turn_s = std::max(each.worst_turn_s, seconds);
        auto& known = tried_.try_emplace(each.simplicity, Tried{each.how, seconds}).first->second;
        known.seconds = std::min(known.seconds, seconds);
      }
  }

  /// The best of some works, each as long as on the slowest rank and at least a nanosecond. The first, which
  /// makes the exchanges, does not count.
  double slowest_s(int repetitions) const {
    taken_();
    auto best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < repetitions; ++i) {
      comm_.max(0);  // all begin together
      best = std::min(best, comm_.max(std::max(1LL, std::llround(1e9 * taken_()))));
    }
    return 1e-9 * static_cast<double>(best);
  }

  static Candidate simplest_within(const std::vector<Candidate>& all, double share) {
    const double best_s = std::ranges::min(all, {}, &Candidate::best_s).best_s;
    const Candidate* simplest = nullptr;
    for (const auto& each : all)
      if (each.best_s <= (1 + share) * best_s && (!simplest || each.simplicity < simplest->simplicity))
        simplest = &each;
    return *simplest;
  }

  static Candidate chosen(const std::vector<Candidate>& all) {
    const auto& best = std::ranges::min(all, {}, &Candidate::best_s);
    return simplest_within(all, std::clamp(best.worst_turn_s / best.best_s - 1, kLeastGain, kNear));
  }

  std::vector<Tried> listed(const Simplicity& best) const {
    std::vector<Tried> all{tried_.at(best)};
    for (const auto& [simplicity, tried] : tried_)
      if (simplicity != best) all.push_back(tried);
    std::stable_sort(all.begin() + 1, all.end(),
                     [](const Tried& a, const Tried& b) { return a.seconds < b.seconds; });
    return all;
  }

  const comm::Communicator& comm_;
  Limits limits_;
  const Choices& choices_;
  const std::function<void(const Communication&)>& communicate_;
  const std::function<double()>& taken_;
  std::map<Simplicity, Tried> tried_;
};

/// The simplest first, each once; as many groups at most as there can be.
Choices in_order(Choices choices, int most_groups) {
  for (int& groups : choices.groups) groups = std::min(groups, most_groups);
  for (auto* counts : {&choices.groups, &choices.ahead}) {
    std::ranges::sort(*counts);
    counts->erase(std::ranges::unique(*counts).begin(), counts->end());
  }
  std::ranges::stable_sort(choices.progress, {}, [](const auto& each) { return each->by(); });
  return choices;
}

void check(const Choices& choices) {
  require<ConfigError>(choices.repetitions >= 1, "{} repetitions were given. Give 1 or more.",
                       choices.repetitions);
  require<ConfigError>(!choices.methods.empty() && !choices.algorithms.empty() && !choices.groups.empty() &&
                           !choices.ahead.empty() && !choices.progress.empty(),
                       "There is nothing to try. Give one or more of methods, algorithms, groups, ahead and "
                       "progress each.");
  for (const int n : choices.groups) require<ConfigError>(n >= 1, "{} groups were given. Give 1 or more.", n);
  for (const int n : choices.ahead)
    require<ConfigError>(n >= 0, "{} groups ahead were given. Give 0 or more.", n);
}

}  // namespace

void require_same(const comm::Communicator& comm, std::string_view name, std::int64_t mine) {
  const auto largest = comm.max(mine), least = -comm.max(-mine);
  require<ConfigError>(largest == least, "Ranks give from {} to {} {}. Give the same on all.", least, largest,
                       name);
}

std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::Core& core) {
  std::vector<std::shared_ptr<const comm::Progress>> found;
  for (const auto by : kAllProgress)
    if (by != ProgressBy::thread || comm::thread_level() == "MPI_THREAD_MULTIPLE")
      found.push_back(std::make_shared<comm::Progress>(comm, by, core));
  return found;
}

std::vector<Tried> fastest_by(const comm::Communicator& comm, const Limits& limits, const Choices& choices,
                              const std::function<void(const Communication&)>& communicate,
                              const std::function<double()>& taken) {
  comm.agree([&] { check(choices); });
  if (comm.size() == 1) return {};
  require_same(comm, "repetitions", choices.repetitions);
  require_same(comm, "ways of progress", std::ssize(choices.progress));
  const auto ordered = in_order(choices, limits.most_groups);
  return Search(comm, limits, ordered, communicate, taken).found();
}

std::vector<Tried> fastest(const comm::Communicator& comm, const Limits& limits, const Choices& choices,
                           const std::function<void(const Communication&)>& communicate,
                           const std::function<void()>& work) {
  return fastest_by(comm, limits, choices, communicate, [&] {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

std::vector<Tried> tune(SharedTransform& transform, const comm::Communicator& comm, const Choices& choices,
                        int n_fields, std::size_t n_coefficients) {
  comm.agree([&] { require<ConfigError>(n_fields >= 1, "{} fields were given. Give 1 or more.", n_fields); });
  require_same(comm, "fields", n_fields);
  std::vector<double> values(n_fields * transform.n_points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);
  std::vector<Complex> coefficients(n_coefficients);
  const auto [v, w] = transform.extents().counts();
  const auto communicate = [&](const Communication& how) { transform.communicate(how); };
  return fastest(comm, {std::max(v, w), transform.most_groups(n_fields)}, choices, communicate, [&] {
    transform.analysis(values, coefficients);
    transform.synthesis(coefficients, values);
  });
}

}  // namespace halcyon::transform
