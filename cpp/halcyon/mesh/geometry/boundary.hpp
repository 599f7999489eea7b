#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/graph/adjacency.hpp"

namespace halcyon::mesh {

using Flags = std::vector<std::uint8_t>;  ///< (cell) 1 for the cells that stay, else 0

/// The largest set of kept cells that neighbours join; of equals, the one with the smallest cell.
/// @param keep (cell) not 0 for the cells that may stay
Flags largest_part(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

/// The kept cells without those that have fewer than two kept neighbours, taken away again and again. What
/// hung together still does: a cell with one neighbour joins nothing.
/// @param keep (cell) not 0 for the cells that may stay
Flags without_dead_ends(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

/// A limited area with a clean boundary: the largest part of the kept cells, without its dead ends.
/// @param keep (cell) not 0 for the cells that may stay
/// @throws InputError if `keep` has another length than the lists
Flags clean(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

}  // namespace halcyon::mesh
