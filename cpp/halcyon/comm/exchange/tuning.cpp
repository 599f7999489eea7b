// The choice of a method by measurements.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/plan.hpp"
#include "halcyon/comm/node.hpp"

namespace halcyon::comm {

namespace {

constexpr int kWarmUps = 2, kMinTurns = 8, kMaxTurns = 40;
constexpr double kBudget_s = 0.5;
constexpr double kAlike = 1.1;  // times the fastest
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Candidate {
  Method method;
  std::unique_ptr<Plan> plan;
  std::vector<double> times_s{};
};

/// The methods that can carry the schedule; the names of those that cannot are added to `others`.
std::vector<Candidate> candidates(const Communicator& comm, const schedule::Schedule& schedule,
                                  std::string& others) {
  const schedule::Actors idle{.combine = [](auto...) {}, .work = {}};
  std::vector<Candidate> found;
  for (const auto& method : methods()) {
    if (!method.make_rounds) continue;
    try {
      found.push_back({&method, std::make_unique<Plan>(comm, schedule, &method, idle)});
    } catch (const ConfigError&) {  // agreed by all ranks
      others += fmt::format("{}{}", others.empty() ? "; not " : ", ", method.name);
    }
  }
  return found;
}

/// Buffers of the schedule's sizes. Nothing is written to them, so that what is not exchanged costs no
/// memory.
class Scratch {
 public:
  Scratch(const Communicator& comm, const schedule::Schedule& schedule, Placement placement) {
    for (std::int32_t b = 0; b < std::ssize(schedule.buffers()); ++b) {
      const auto bytes = schedule.buffer_bytes(comm.rank(), b);
      if (placement == Placement::node_memory && !schedule.buffers()[b].scratch) {
        spans_.push_back(near_.emplace_back(comm, bytes).bytes());
      } else {
        far_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
        spans_.emplace_back(far_.back().get(), bytes);
      }
    }
  }
  std::span<const std::span<std::byte>> spans() const { return spans_; }

 private:
  std::vector<NodeMemory> near_;
  std::vector<std::unique_ptr<std::byte[]>> far_;
  std::vector<std::span<std::byte>> spans_;
};

double exchange_time(const Communicator& comm, Plan& plan, const Scratch& scratch) {
  check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const auto begin = Clock::now();
  plan.start(scratch.spans());
  plan.finish();
  return seconds_since(begin);
}

/// Collective. Adds to each candidate's times, of the slowest rank, until the budget is spent.
void measure(const Communicator& comm, std::vector<Candidate>& all, const Scratch& scratch) {
  const auto begin = Clock::now();
  for (int turn = -kWarmUps; turn < kMaxTurns; ++turn) {
    for (auto& candidate : all) {
      const double time_s = exchange_time(comm, *candidate.plan, scratch);
      if (turn >= 0) candidate.times_s.push_back(time_s);
    }
    if (comm.max(turn + 1 >= kMinTurns && seconds_since(begin) > kBudget_s)) break;
  }
  for (auto& [method, plan, times_s] : all) {
    check(MPI_Allreduce(MPI_IN_PLACE, times_s.data(), static_cast<int>(times_s.size()), MPI_DOUBLE, MPI_MAX,
                        comm.get()),
          "MPI_Allreduce");
  }
}

double best_s(const Candidate& candidate) {
  return std::ranges::min(candidate.times_s);
}

/// Those of candidates, from the fastest on.
std::vector<Timed> times_of(const std::vector<Candidate>& all) {
  std::vector<Timed> times;
  for (const auto& candidate : all) times.push_back({candidate.method, best_s(candidate)});
  std::ranges::stable_sort(times, {}, &Timed::time_s);
  return times;
}

}  // namespace

Method preferred(std::span<const Timed> methods) {
  const auto fastest = std::ranges::min(methods, {}, &Timed::time_s);
  auto found = fastest;
  for (const auto& one : methods) {
    const bool is_alike = one.method->overlaps && one.time_s <= kAlike * fastest.time_s;
    if (is_alike && (!found.method->overlaps || one.time_s < found.time_s)) found = one;
  }
  return found.method;
}

Choice chosen_method(const Communicator& comm, const schedule::Schedule& schedule, Placement placement) {
  if (comm.size() == 1) return {method_named("isend_irecv"), "one rank"};
  std::string others;
  auto all = candidates(comm, schedule, others);
  measure(comm, all, Scratch(comm, schedule, placement));
  const auto times = times_of(all);
  std::string listed;
  for (const auto& [method, time_s] : times)
    listed += fmt::format("{}{} {:.1f}", listed.empty() ? "" : ", ", method->name, 1e6 * time_s);
  const auto method = preferred(times);
  const auto* why = method == times.front().method ? "" : ", preferred since it overlaps";
  return {method, fmt::format("{} us, the slowest rank's best of {}{}{}", listed, all.front().times_s.size(),
                              why, others)};
}

}  // namespace halcyon::comm
