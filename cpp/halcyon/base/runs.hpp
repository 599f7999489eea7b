#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon {

/// Neighbouring items begin .. end.
struct Run {
  LocalIndex begin = 0, end = 0;
};

/// Items that a loop goes through, in ascending order.
using Runs = std::vector<Run>;

/// Whether something holds for each item.
using Flags = std::vector<std::uint8_t>;

/// The items whose flag is set.
inline Runs runs_of(std::span<const std::uint8_t> flags) {
  Runs runs;
  for (LocalIndex item = 0; item < static_cast<LocalIndex>(flags.size()); ++item) {
    if (!flags[item]) continue;
    if (runs.empty() || runs.back().end != item) runs.push_back({item, item});
    runs.back().end = item + 1;
  }
  return runs;
}

}  // namespace halcyon
