#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>

#include "halcyon/base/timer.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::halo {

/// Collective. Brings the halo of fields: compute(true) runs while it travels, or after it without `overlap`,
/// and compute(false) after it.
/// @param exchange_s grows by what start and wait take [s]
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

/// Collective. The same tile by tile (decomposition/tiling.hpp): visit(tile, true) and then visit(tile,
/// false) for each, while the halo travels for those that need nothing of it, and the first for the next one.
/// @param tiles first all that `is_inner()`
template <class Tile, class Visit>
void for_tiles(Halo& halo, std::span<const std::span<std::byte>> fields, bool overlap, double& exchange_s,
               std::span<Tile> tiles, const Visit& visit) {
  const auto split = std::ranges::find_if_not(tiles, &Tile::is_inner);
  const auto visit_whole = [&](auto begin, auto end) {
    for (auto& tile : std::ranges::subrange(begin, end)) visit(tile, true), visit(tile, false);
  };
  with_halo(halo, fields, overlap, exchange_s, [&](bool is_early) {
    if (is_early) visit_whole(tiles.begin(), split);
    if (split == tiles.end()) return;
    visit(*split, is_early);
    if (!is_early) visit_whole(split + 1, tiles.end());
  });
}

}  // namespace halcyon::halo
