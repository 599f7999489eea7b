#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon {

/// Consecutive items begin .. end - 1.
struct IndexRange {
  LocalIndex begin = 0, end = 0;
};

/// The items of a loop as disjoint ranges, in ascending order.
using IndexRanges = std::vector<IndexRange>;

using Flags = std::vector<std::uint8_t>;  ///< one per item

/// Returns the items whose flag is not 0.
inline IndexRanges ranges_of(std::span<const std::uint8_t> flags) {
  IndexRanges ranges;
  for (LocalIndex item = 0; item < static_cast<LocalIndex>(flags.size()); ++item) {
    if (!flags[item]) continue;
    if (ranges.empty() || ranges.back().end != item) ranges.push_back({item, item});
    ranges.back().end = item + 1;
  }
  return ranges;
}

}  // namespace halcyon
