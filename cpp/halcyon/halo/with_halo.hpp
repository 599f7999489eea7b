#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>

#include "halcyon/base/timer.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::halo {

/// Collective. Exchanges the halo of fields, and computes. compute(true) computes the inner part, overlapped
/// with the exchange, or after it if not `overlap`; then compute(false) computes the boundary part.
/// @param exchange_s is increased by the time of start and wait [s]
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

/// Collective. As `with_halo`, for tiles (decomposition/tiling.hpp): calls visit(tile, true) and then
/// visit(tile, false) for each tile. Inner tiles, and the inner part of the first other tile, overlap with
/// the exchange.
/// @param tiles the inner tiles (`is_inner()`), followed by all others
template <class Tile, class Visit>
void for_tiles(Halo& halo, std::span<const std::span<std::byte>> fields, bool overlap, double& exchange_s,
               std::span<Tile> tiles, const Visit& visit) {
  const auto split = std::ranges::find_if_not(tiles, &Tile::is_inner);
  const auto visit_whole = [&](auto begin, auto end) {
    for (auto& tile : std::ranges::subrange(begin, end)) visit(tile, true), visit(tile, false);
  };
  with_halo(halo, fields, overlap, exchange_s, [&](bool is_inner) {
    if (is_inner) visit_whole(tiles.begin(), split);
    if (split == tiles.end()) return;
    visit(*split, is_inner);
    if (!is_inner) visit_whole(split + 1, tiles.end());
  });
}

}  // namespace halcyon::halo
