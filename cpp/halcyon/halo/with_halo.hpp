#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>

#include "halcyon/base/timer.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::halo {

/// Collective. Exchanges the halo of fields, calls compute(is_inner = true) for the inner items, and then
/// compute(is_inner = false) for the boundary items, which need the halo.
/// @param overlap whether compute(true) runs during the exchange, not after it
/// @param exchange_s is increased by the time spent in start and wait [s]
template <class Compute>
void with_halo(Halo& halo, std::span<const std::span<std::byte>> fields, bool overlap, double& exchange_s,
               const Compute& compute) {
  auto pending = [&] {
    const ScopedTimer timer(exchange_s);
    return halo.start(fields);
  }();
  const auto wait = [&] {
    const ScopedTimer timer(exchange_s);
    pending.wait();
  };
  if (!overlap) wait();
  compute(true);
  if (overlap) wait();
  compute(false);
}

/// Collective. Exchanges the halo of fields, and computes tile by tile (decomposition/tiling.hpp). For each
/// tile, visit(tile, true) computes the items that do not need the halo, and then visit(tile, false) the
/// other items. Inner tiles, and visit(tile, true) of the first boundary tile, overlap with the exchange.
/// @param tiles inner tiles (tiles without items that need the halo: `is_inner()`), then boundary tiles
template <class Tile, class Visit>
void for_tiles(Halo& halo, std::span<const std::span<std::byte>> fields, bool overlap, double& exchange_s,
               std::span<Tile> tiles, const Visit& visit) {
  const auto first_boundary = std::ranges::find_if_not(tiles, &Tile::is_inner);
  const auto visit_whole = [&](auto begin, auto end) {
    for (auto& tile : std::ranges::subrange(begin, end)) visit(tile, true), visit(tile, false);
  };
  with_halo(halo, fields, overlap, exchange_s, [&](bool is_inner) {
    if (is_inner) visit_whole(tiles.begin(), first_boundary);
    if (first_boundary == tiles.end()) return;
    visit(*first_boundary, is_inner);
    if (!is_inner) visit_whole(first_boundary + 1, tiles.end());
  });
}

}  // namespace halcyon::halo
