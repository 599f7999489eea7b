#pragma once

#include <span>
#include <vector>

#include "halcyon/atmosphere/beside.hpp"

namespace halcyon::atmosphere {

/// A part of a sweep, by the number of that.
struct Task {
  int sweep = 0;
  Runs runs;
};

/// What the items of a sweep need of an earlier one.
struct Need {
  int sweep = 0;
  Beside beside;
};

/// Cuts sweeps into tasks of neighbouring items and puts these in an order in which each comes after what it
/// needs and soon after it, while that is in the cache still: the last sweep leads, and each of its tasks
/// calls for those of earlier sweeps.
/// @param sweeps in an order in which each needs earlier ones only; what they do not hold is there already
/// @param items_of_task of each sweep, about  @param needs of each
std::vector<Task> woven(std::span<const Runs> sweeps, std::span<const LocalIndex> items_of_task,
                        std::span<const std::vector<Need>> needs);

}  // namespace halcyon::atmosphere
