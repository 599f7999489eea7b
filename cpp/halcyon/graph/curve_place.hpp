#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::graph {

/// The place of a square of a grid of 2^levels x 2^levels along Hilbert's curve from (0, 0) to the end of the
/// axis of u. In each quarter the curve is the whole one, `turned` about the diagonal in the first and last,
/// and `reversed` in the last.
inline std::uint64_t hilbert_place(std::uint32_t u, std::uint32_t v, int levels) {
  std::uint64_t place = 0;
  std::uint32_t turned = 0, reversed = 0;
  for (int level = levels - 1; level >= 0; --level) {
    const std::uint32_t here_u = (u >> level & 1) ^ reversed, here_v = (v >> level & 1) ^ reversed;
    const std::uint32_t right = turned ? here_v : here_u, upper = turned ? here_u : here_v;
    place = place << 2 | (3 * right ^ upper);
    turned ^= 1 - upper;
    reversed ^= right & (1 - upper);
  }
  return place;
}

/// The same along Morton's curve: the digits of u and v by turns, those of u first.
inline std::uint64_t morton_place(std::uint32_t u, std::uint32_t v, int levels) {
  std::uint64_t place = 0;
  for (int level = levels - 1; level >= 0; --level)
    place = place << 2 | (u >> level & 1) << 1 | (v >> level & 1);
  return place;
}

/// The nodes by their places, equals by their number: order[new] = old.
/// @param places (node)
std::vector<LocalIndex> order_by(std::span<const std::uint64_t> places);

}  // namespace halcyon::graph
