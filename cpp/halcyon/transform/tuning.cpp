#include "halcyon/transform/tuning.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/thread_level.hpp"

namespace halcyon::transform {
namespace {

using comm::Method, comm::ProgressBy;

constexpr int kMostGroups = 4;
constexpr std::array kTriedMethods{Method::isend_irecv, Method::ialltoallv, Method::alltoallv};
constexpr std::array kTriedProgress{ProgressBy::none, ProgressBy::poll, ProgressBy::thread};

/// Whether it is another choice in disguise: where nothing is under way, nobody moves it.
bool is_new(int groups, Method method, ProgressBy by) {
  return by == ProgressBy::none || (groups > 1 && method != Method::alltoallv);
}

/// All that may be tried here. Collective.
std::vector<Tried> choices(const comm::Communicator& comm, const Communication& given) {
  std::vector<Tried> found;
  for (const auto by : kTriedProgress) {
    if (by == ProgressBy::thread && comm::thread_level() != "MPI_THREAD_MULTIPLE") continue;
    const auto progress = std::make_shared<comm::Progress>(comm, by);
    for (int groups = 1; groups <= kMostGroups; ++groups)
      for (const auto method : kTriedMethods)
        if (is_new(groups, method, by))
          found.push_back({{given.by, method, progress, groups, given.ahead}, by, 0});
  }
  return found;
}

/// Of the slowest rank [ns].
std::int64_t taken(const comm::Communicator& comm, int repetitions, const std::function<void()>& work) {
  auto best = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i <= repetitions; ++i) {  // once more, which makes the exchanges
    comm.max(0);                            // all begin together
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min<std::int64_t>(best, (std::chrono::steady_clock::now() - begin).count());
  }
  return comm.max(best);
}

}  // namespace

Tried fastest(const comm::Communicator& comm, const Communication& given, int repetitions,
              const std::function<void(const Communication&)>& communicate,
              const std::function<void()>& work) {
  comm.agree([&] {
    require<ConfigError>(repetitions >= 1, "{} repetitions were given. Give 1 or more.", repetitions);
  });
  if (comm.size() == 1) return {given, ProgressBy::none, 0};
  auto tried = choices(comm, given);
  for (auto& each : tried) {
    communicate(each.how);
    each.seconds = 1e-9 * static_cast<double>(taken(comm, repetitions, work));
  }
  return *std::ranges::min_element(tried, {}, &Tried::seconds);
}

}  // namespace halcyon::transform
