#pragma once

#include <functional>
#include <span>
#include <vector>

#include "halcyon/atmosphere/runs.hpp"

namespace halcyon::atmosphere {

/// A part of a sweep, by the number of that.
struct Task {
  int sweep = 0;
  Runs runs;
};

/// Calls visit(sweep, item) for what must be computed before an item of a sweep.
using VisitNeed = std::function<void(int sweep, LocalIndex item)>;
using Needs = std::function<void(int sweep, LocalIndex item, const VisitNeed& visit)>;

/// Cuts sweeps into tasks of neighbouring items and puts these in an order in which each comes after what it
/// needs and soon after it, while that is in the cache still: the last sweep leads, and each of its tasks
/// calls for those of earlier sweeps.
/// @param sweeps in an order in which each needs earlier ones only; what they do not hold is there already
/// @param items_of_task of each sweep, about
std::vector<Task> woven(std::span<const Runs> sweeps, std::span<const LocalIndex> items_of_task,
                        const Needs& needs);

}  // namespace halcyon::atmosphere
