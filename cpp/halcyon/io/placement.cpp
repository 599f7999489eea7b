#include "halcyon/io/placement.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::io {

Placement::Placement(std::span<const GlobalIndex> ids) : order_(ids.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](auto item) { return ids[item]; });
  for (const auto item : order_) {
    const auto id = ids[item];
    const auto next = runs_.empty() ? -1 : runs_.back().first + runs_.back().count;
    require<InternalError>(id >= 0 && (runs_.empty() || id >= next),
                           "The global id {} stands twice, or is negative.", id);
    if (id == next)
      ++runs_.back().count;
    else
      runs_.push_back({id, 1});
  }
}

}  // namespace halcyon::io
