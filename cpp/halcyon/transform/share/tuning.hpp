#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/transform/share/shared_transform.hpp"

namespace halcyon::transform {

/// The values that tuning tries for each exchange setting; methods and algorithms from simple to complex.
struct TuningCandidates {
  std::vector<comm::Method> methods{comm::method_named("isend_irecv"), comm::method_named("persistent"),
                                    comm::method_named("ialltoallv"), comm::method_named("alltoallv")};
  std::vector<schedule::AlltoallMethod> algorithms{{schedule::AlltoallAlgorithm::burst},
                                                   {schedule::AlltoallAlgorithm::bruck},
                                                   {schedule::AlltoallAlgorithm::ring, 1},
                                                   {schedule::AlltoallAlgorithm::ring, 4},
                                                   {schedule::AlltoallAlgorithm::ring, 16}};
  std::vector<int> groups{
      1, 2, 3, 4};  ///< numbers of groups into which the fields of each array of values are divided
  std::vector<int> ahead{1, 2};  ///< numbers of groups in flight while one group is computed
  std::vector<std::shared_ptr<const comm::Progress>> progress{};
  int repetitions = 5;  ///< timed runs of the work per combination of settings
};

inline constexpr std::array kAllProgress{comm::ProgressMode::none, comm::ProgressMode::poll,
                                         comm::ProgressMode::thread};

/// Collective. Returns one object per kind of progress; a progress thread only with MPI_THREAD_MULTIPLE.
std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::CoreBinding& core = {});

struct TimedSettings {
  ExchangeSettings settings;
  double seconds = 0;  ///< time of the work with these settings
};

/// Properties of the work that limit the search.
struct TuningLimits {
  Rank largest_set;      ///< number of ranks of the largest all-to-all
  int max_groups;        ///< largest number of groups per component (array of values) of a call
  int n_components = 1;  ///< number of components of a call
};

/// Collective. Finds the exchange settings with which `work` is fastest, and applies these settings. There
/// are too many combinations to try all, so the search has three stages:
/// 1. tries pairs of method and algorithm, with the smallest and the median number of groups, without
/// progress, and keeps the three fastest pairs;
/// 2. tries these pairs with all numbers of groups and kinds of progress, and keeps the three fastest
/// settings and the simplest settings that are at most 10 % slower than the fastest;
/// 3. tries these settings and, if exchanges overlap with work, other numbers of groups ahead. All are
/// measured in turn, several times.
///
/// A stage that would eliminate no settings is skipped. The time of a repetition is that of the slowest rank;
/// the time of settings is the shortest of several repetitions, which suppresses the noise of other
/// processes. All ranks get the same result. Stage 3 selects the simplest settings within a tolerance of the
/// shortest time: the relative difference between the repetitions of the fastest settings, at least 3 % and
/// at most 10
/// %. Simpler means: without a thread, then fewer groups, then fewer ahead, then earlier in the lists.
/// Equivalent settings are not tried twice: more groups than possible; progress or groups ahead if nothing is
/// in flight during work (one group of one component, or blocking calls); a ring of k messages per round
/// where k is at least the number of other ranks; the Bruck algorithm of two ranks. Collective methods are
/// not tried with algorithms of several rounds.
/// @param set_exchange applies settings  @param work collective function that is timed
/// @returns the settings that were tried: the selected settings, then the others by time; empty for one rank
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

/// Collective. @throws ConfigError, on all ranks, if `count`, the number of `name`, differs between ranks
void require_same_count(const comm::Communicator& comm, std::string_view name, std::int64_t count);

/// Collective. Applies the fastest exchange settings for an analysis and synthesis of `n_fields` fields.
/// @param n_coefficients number of coefficients of all fields on this rank
/// @throws ConfigError, on all ranks, for fewer than 1 field or repetition on any rank
std::vector<TimedSettings> tune(SharedTransform& transform, const comm::Communicator& comm,
                                const TuningCandidates& choices, int n_fields, std::size_t n_coefficients);

}  // namespace halcyon::transform
