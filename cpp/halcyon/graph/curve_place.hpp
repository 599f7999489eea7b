#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::graph {

/// The place of a square of a grid of 2^levels x 2^levels along Hilbert's curve from (0, 0) to the end of the
/// axis of u.
std::uint64_t hilbert_place(std::uint32_t u, std::uint32_t v, int levels);

/// The same along Morton's curve: the digits of u and v by turns, those of u first.
std::uint64_t morton_place(std::uint32_t u, std::uint32_t v);

/// The nodes by their places, equals by their number: order[new] = old.
/// @param places (node)
std::vector<LocalIndex> order_by(std::span<const std::uint64_t> places);

}  // namespace halcyon::graph
