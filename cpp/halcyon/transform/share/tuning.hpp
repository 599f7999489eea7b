#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/transform/share/shared_transform.hpp"

namespace halcyon::transform {

/// What may be chosen of how ranks exchange: of methods and algorithms, the simplest first.
struct Choices {
  std::vector<comm::Method> methods{comm::method_named("isend_irecv"), comm::method_named("persistent"),
                                    comm::method_named("ialltoallv"), comm::method_named("alltoallv")};
  std::vector<schedule::AlltoallBy> algorithms{{schedule::AlltoallAlgorithm::burst},
                                               {schedule::AlltoallAlgorithm::bruck},
                                               {schedule::AlltoallAlgorithm::ring, 1},
                                               {schedule::AlltoallAlgorithm::ring, 4},
                                               {schedule::AlltoallAlgorithm::ring, 16}};
  std::vector<int> groups{1, 2, 3, 4}, ahead{1, 2};
  std::vector<std::shared_ptr<const comm::Progress>> progress{};
  int repetitions = 5;
};

inline constexpr std::array kAllProgress{comm::ProgressBy::none, comm::ProgressBy::poll,
                                         comm::ProgressBy::thread};

/// Collective. All of them, a thread where MPI was started with MPI_THREAD_MULTIPLE.
std::vector<std::shared_ptr<const comm::Progress>> all_progress(const comm::Communicator& comm,
                                                                const comm::Core& core = {});

/// How ranks exchange, and how long that took [s].
struct Tried {
  Communication how;
  double seconds = 0;
};

/// What bounds the choices for some work.
struct Limits {
  Rank largest_set;                   ///< ranks of the largest all-to-all
  int most_groups, n_components = 1;  ///< of the call that has most of each
};

/// Collective. Leaves ranks with the exchange by which some work is fastest here. Too many choices go
/// together for all to be tried, so the search has three stages:
/// 1. methods by algorithms, in the fewest and in a middle number of groups, without progress: three stay;
/// 2. these by groups and progress: three stay, and the simplest of those within 10 % of the best;
/// 3. these, and where groups overlap with more of them ahead, in turns.
/// A stage that would leave out nothing is left out itself. The slowest rank counts, and of its times the
/// best, so that what else the machine does weighs little; all ranks find the same. Of stage 3 the simplest
/// is chosen that takes at most 3 % longer than the fastest, or as much longer as the turns of this one
/// differ, up to 10 %: without a thread, then by fewer groups, then by fewer ahead, then by the order given.
/// What is another choice in disguise is not tried: more groups than there can be, progress and groups ahead
/// where nothing is under way (one group of one component, or calls that block), ring-k with k of all other
/// ranks or more, bruck of two; nor are collectives in several rounds.
/// @param communicate says how ranks exchange from now on  @param work collective
/// @returns all that was tried: first what was chosen, then the others from the fastest on; nothing of one
///          rank, where nothing is tried
/// @throws ConfigError, on all ranks, for lists without a choice and fewer than 1 group or repetition
std::vector<Tried> fastest(const comm::Communicator& comm, const Limits& limits, const Choices& choices,
                           const std::function<void(const Communication&)>& communicate,
                           const std::function<void()>& work);

/// Collective. The same by a clock of the work's own. @param taken does the work, and tells what it took this
/// rank [s]
std::vector<Tried> fastest_by(const comm::Communicator& comm, const Limits& limits, const Choices& choices,
                              const std::function<void(const Communication&)>& communicate,
                              const std::function<double()>& taken);

/// Collective. @throws ConfigError, on all ranks, where they do not give the same number
void require_same(const comm::Communicator& comm, std::string_view name, std::int64_t mine);

/// Collective. From now on the ranks of a transform exchange as is fastest for round trips of so many fields.
/// @param n_coefficients of all fields that this rank holds coefficients of
/// @throws ConfigError, on all ranks, for fewer than 1 field or repetition on any
std::vector<Tried> tune(SharedTransform& transform, const comm::Communicator& comm, const Choices& choices,
                        int n_fields, std::size_t n_coefficients);

}  // namespace halcyon::transform
