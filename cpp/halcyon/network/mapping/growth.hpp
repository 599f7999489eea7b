#pragma once

#include <span>
#include <vector>

#include "halcyon/network/mapping/affinity.hpp"

namespace halcyon::network {

/// Fills groups one after the other with items that belong together: each begins with the item that exchanges
/// most with those that are in groups already (the first, and where there is none, with the one that
/// exchanges most at all), and takes what exchanges most with itself.
/// @param sizes (group), of sum n_items
/// @returns the items, group after group
std::vector<std::int32_t> grown(const Affinity& affinity, std::span<const std::int32_t> sizes);

}  // namespace halcyon::network
