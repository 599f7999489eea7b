// The method `auto`: measures all exchange methods and chooses one.

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

constexpr int kWarmUps = 2, kMinRepeats = 8, kMaxRepeats = 40;
constexpr double kBudget_s = 0.5;   // measuring ends after this time, but not before kMinRepeats
constexpr double kTolerance = 1.1;  // relative to the fastest method
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Candidate {
  Method method;
  std::unique_ptr<Plan> plan;
  std::vector<double> times_s{};  ///< one per repeat [s]
};

void add_unsupported(std::string& unsupported, std::string_view text) {
  unsupported += fmt::format("{}{}", unsupported.empty() ? "; not " : ", ", text);
}

/// The methods that support the schedule. Appends the names of the other methods to the text `unsupported`.
std::vector<Candidate> supported_methods(const Communicator& comm, const schedule::Schedule& schedule,
                                         std::string& unsupported) {
  const schedule::Callbacks do_nothing{.combine = [](auto...) {}, .work = {}};
  std::vector<Candidate> supported;
  for (const auto& method : methods()) {
    if (!method.make_rounds || std::ranges::count(method.traits, "by_name_only") > 0) continue;
    try {
      supported.push_back({&method, std::make_unique<Plan>(comm, schedule, &method, do_nothing)});
    } catch (const ConfigError& error) {  // thrown on all ranks
      const auto reason = method.copies_from_node_memory ? fmt::format(": {}", error.what()) : "";
      add_unsupported(unsupported, method.name + reason);
    }
  }
  return supported;
}

/// Temporary buffers for a schedule, not initialized: a page that is not exchanged occupies no memory.
class TemporaryBuffers {
 public:
  TemporaryBuffers(const Communicator& comm, const schedule::Schedule& schedule, BufferPlacement placement) {
    for (std::int32_t b = 0; b < std::ssize(schedule.buffers()); ++b) {
      const auto bytes = schedule.buffer_bytes(comm.rank(), b);
      if (placement == BufferPlacement::node_memory && !schedule.buffers()[b].scratch) {
        spans_.push_back(node_buffers_.emplace_back(comm, bytes).bytes());
      } else {
        buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
        spans_.emplace_back(buffers_.back().get(), bytes);
      }
    }
  }
  std::span<const std::span<std::byte>> spans() const { return spans_; }

 private:
  std::vector<NodeMemory> node_buffers_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::vector<std::span<std::byte>> spans_;
};

/// Buffers in private memory if nodes lack shared memory; says so in the text `unsupported`.
TemporaryBuffers temporary_buffers(const Communicator& comm, const schedule::Schedule& schedule,
                                   BufferPlacement placement, std::string& unsupported) {
  try {
    return {comm, schedule, placement};
  } catch (const ConfigError& error) {  // thrown on all ranks
    add_unsupported(unsupported, fmt::format("in node memory: {}", error.what()));
    return {comm, schedule, BufferPlacement::anywhere};
  }
}

double exchange_time_s(const Communicator& comm, Plan& plan, const TemporaryBuffers& buffers) {
  check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const auto begin = Clock::now();
  plan.start(buffers.spans());
  plan.finish();
  return seconds_since(begin);
}

/// Collective. Measures all candidates until the time budget is spent; times are maxima over ranks. Repeats
/// with a negative number are warm-ups.
void measure(const Communicator& comm, std::vector<Candidate>& candidates, const TemporaryBuffers& buffers) {
  const auto begin = Clock::now();
  for (int repeat = -kWarmUps; repeat < kMaxRepeats; ++repeat) {
    for (auto& candidate : candidates) {
      const double time_s = exchange_time_s(comm, *candidate.plan, buffers);
      if (repeat >= 0) candidate.times_s.push_back(time_s);
    }
    if (comm.max(repeat + 1 >= kMinRepeats && seconds_since(begin) > kBudget_s)) break;
  }
  for (auto& [method, plan, times_s] : candidates)
    check(MPI_Allreduce(MPI_IN_PLACE, times_s.data(), static_cast<int>(times_s.size()), MPI_DOUBLE, MPI_MAX,
                        comm.get()),
          "MPI_Allreduce");
}

/// The shortest time of each candidate, in ascending order.
std::vector<MethodTime> shortest_times(const std::vector<Candidate>& candidates) {
  std::vector<MethodTime> times;
  for (const auto& [method, plan, times_s] : candidates)
    times.push_back({.method = method, .time_s = std::ranges::min(times_s)});
  std::ranges::stable_sort(times, {}, &MethodTime::time_s);
  return times;
}

}  // namespace

Method preferred_method(std::span<const MethodTime> methods) {
  const auto fastest = std::ranges::min(methods, {}, &MethodTime::time_s);
  auto best = fastest;
  for (const auto& candidate : methods) {
    const bool is_eligible = candidate.method->overlaps && candidate.time_s <= kTolerance * fastest.time_s;
    if (is_eligible && (!best.method->overlaps || candidate.time_s < best.time_s)) best = candidate;
  }
  return best.method;
}

MethodChoice choose_method(const Communicator& comm, const schedule::Schedule& schedule,
                           BufferPlacement placement) {
  if (comm.size() == 1) return {method_named("isend_irecv"), "one rank"};
  std::string unsupported;
  auto candidates = supported_methods(comm, schedule, unsupported);
  measure(comm, candidates, temporary_buffers(comm, schedule, placement, unsupported));
  const auto times = shortest_times(candidates);
  std::string times_text;
  for (const auto& [method, time_s] : times)
    times_text += fmt::format("{}{} {:.1f}", times_text.empty() ? "" : ", ", method->name, 1e6 * time_s);
  const auto method = preferred_method(times);
  const auto* preference = method == times.front().method ? "" : ", preferred since it overlaps";
  return {method, fmt::format("{} us, best of {} on the slowest rank{}{}", times_text,
                              candidates.front().times_s.size(), preference, unsupported)};
}

}  // namespace halcyon::comm
