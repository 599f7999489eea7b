#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/transform/share/shared_transform.hpp"

namespace halcyon::transform {

/// The exchange settings that tuning tries; methods and algorithms are ordered from simple to complex.
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

/// Collective. Returns all kinds of progress; a progress thread only with MPI_THREAD_MULTIPLE.
std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::CoreBinding& core = {});

/// Exchange settings, and the time of the work that was measured with these settings.
struct TimedSettings {
  ExchangeSettings settings;
  double seconds = 0;
};

/// Properties of the work that limit the search.
struct TuningLimits {
  Rank largest_set;                  ///< number of ranks of the largest all-to-all
  int max_groups, n_components = 1;  ///< maxima over the calls
};

/// Collective. Finds the exchange settings with which `work` is fastest, and applies these settings. There
/// are too many combinations to try all, so the search has three stages:
/// 1. pairs of method and algorithm, with the smallest and a middle number of groups, without progress: the
/// best three remain;
/// 2. the remaining pairs with all numbers of groups and kinds of progress: the best three settings remain,
/// and the simplest settings within 10 % of the best;
/// 3. the remaining settings and, if exchanges overlap with work, more groups ahead, in alternating rounds.
///
/// A stage that would eliminate no candidate is skipped. Each repetition takes the time of the slowest rank;
/// the time of settings is the shortest of several repetitions, which suppresses the noise of other
/// processes. All ranks get the same result. Stage 3 selects the simplest settings within a tolerance of the
/// fastest time: the relative difference between rounds of the fastest settings, at least 3 % and at most 10
/// %. Simpler means: without a thread, then fewer groups, then fewer ahead, then earlier in the lists.
/// Equivalent settings are not tried twice: more groups than possible; progress or groups ahead if nothing is
/// in flight during work (one group of one component, or blocking calls); ring-k where k is at least the
/// number of other ranks; bruck of two ranks. Collective methods are not tried with multi-round algorithms.
/// @param set_exchange applies settings  @param work collective function that is timed
/// @returns the settings that were tried: first the selected one, then by time; empty for a single rank
/// @throws ConfigError, on all ranks, for empty lists and fewer than 1 group or repetition
std::vector<TimedSettings> fastest(const comm::Communicator& comm, const TuningLimits& limits,
                                   const TuningCandidates& choices,
                                   const std::function<void(const ExchangeSettings&)>& set_exchange,
                                   const std::function<void()>& work);

/// Collective. `fastest` with another clock: measure_s() runs the work and returns its time on this rank [s].
std::vector<TimedSettings> fastest_with_clock(
    const comm::Communicator& comm, const TuningLimits& limits, const TuningCandidates& choices,
    const std::function<void(const ExchangeSettings&)>& set_exchange,
    const std::function<double()>& measure_s);

/// Collective. @throws ConfigError, on all ranks, if the number of `name` differs between ranks
void require_same(const comm::Communicator& comm, std::string_view name, std::int64_t count);

/// Collective. Applies the fastest exchange settings for an analysis and synthesis of `n_fields` fields.
/// @param n_coefficients total number of coefficients on this rank
/// @throws ConfigError, on all ranks, for fewer than 1 field or repetition on any rank
std::vector<TimedSettings> tune(SharedTransform& transform, const comm::Communicator& comm,
                                const TuningCandidates& choices, int n_fields, std::size_t n_coefficients);

}  // namespace halcyon::transform
