#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/transform/share/shared_transform.hpp"

namespace halcyon::transform {

/// The exchange settings among which tuning searches; methods and algorithms from the simplest on.
struct TuningCandidates {
  std::vector<comm::Method> methods{comm::method_named("isend_irecv"), comm::method_named("persistent"),
                                    comm::method_named("ialltoallv"), comm::method_named("alltoallv")};
  std::vector<schedule::AlltoallMethod> algorithms{{schedule::AlltoallAlgorithm::burst},
                                               {schedule::AlltoallAlgorithm::bruck},
                                               {schedule::AlltoallAlgorithm::ring, 1},
                                               {schedule::AlltoallAlgorithm::ring, 4},
                                               {schedule::AlltoallAlgorithm::ring, 16}};
  std::vector<int> groups{1, 2, 3, 4}, ahead{1, 2};
  std::vector<std::shared_ptr<const comm::Progress>> progress{};
  int repetitions = 5;
};

inline constexpr std::array kAllProgress{comm::ProgressMode::none, comm::ProgressMode::poll,
                                         comm::ProgressMode::thread};

/// Collective. Returns all kinds of progress; a progress thread only if MPI was initialized with
/// MPI_THREAD_MULTIPLE.
std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::CoreBinding& core = {});

/// Exchange settings, and the time of the work with them [s].
struct TimedSettings {
  ExchangeSettings settings;
  double seconds = 0;
};

/// Limits that the work sets to the search.
struct TuningLimits {
  Rank largest_set;                   ///< number of ranks of the largest all-to-all
  int most_groups, n_components = 1;  ///< maxima over the calls
};

/// Collective. Finds the exchange settings with which some work is fastest, and applies them. There are too
/// many combinations to try all, so the search has three stages:
/// 1. methods by algorithms, with the smallest and a middle number of groups, without progress: the best
/// three remain;
/// 2. these by numbers of groups and kinds of progress: the best three remain, and the simplest of those
/// within 10 % of the best;
/// 3. these and, where exchanges overlap with work, more groups ahead, measured in alternating rounds.
/// A stage that would eliminate nothing is skipped. The time of settings is that of the slowest rank, the
/// best of several repetitions, which suppresses the noise of other processes; all ranks find the same. Stage
/// 3 selects the simplest settings that take at most 3 % longer than the fastest ones, or as much longer as
/// the rounds of the fastest ones differ, up to 10 %. Simpler means: without a thread, then fewer groups,
/// then fewer ahead, then earlier in the lists.
/// Equivalent settings are not tried twice: more groups than possible, progress or groups ahead if nothing is
/// in flight during work (one group of one component, or blocking calls), ring-k with k of all other ranks or
/// more, bruck of two ranks. Collectives in several rounds are not tried either.
/// @param set_exchange sets how ranks exchange  @param work collective
/// @returns all settings that were tried: first the selected ones, then the others from the fastest on; empty
///        for a single rank, for which nothing is tried
/// @throws ConfigError, on all ranks, for empty lists and fewer than 1 group or repetition
std::vector<TimedSettings> fastest(const comm::Communicator& comm, const TuningLimits& limits,
                                   const TuningCandidates& choices,
                                   const std::function<void(const ExchangeSettings&)>& set_exchange,
                                   const std::function<void()>& work);

/// Collective. The same with times measured by the work itself. @param measure_s does the work and returns
/// its time on this rank [s]
std::vector<TimedSettings> fastest_with_clock(
    const comm::Communicator& comm, const TuningLimits& limits, const TuningCandidates& choices,
    const std::function<void(const ExchangeSettings&)>& set_exchange,
    const std::function<double()>& measure_s);

/// Collective. @throws ConfigError, on all ranks, unless all ranks give the same number
void require_same(const comm::Communicator& comm, std::string_view name, std::int64_t mine);

/// Collective. Applies the exchange settings with which round trips of `n_fields` fields are fastest.
/// @param n_coefficients total number of coefficients on this rank
/// @throws ConfigError, on all ranks, for fewer than 1 field or repetition on any rank
std::vector<TimedSettings> tune(SharedTransform& transform, const comm::Communicator& comm,
                                const TuningCandidates& choices, int n_fields, std::size_t n_coefficients);

}  // namespace halcyon::transform
