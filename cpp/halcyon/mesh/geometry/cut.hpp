#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/graph/adjacency.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/mesh/mesh.hpp"

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

/// The part of a mesh that has the named cells, in the order in which they are named, with all their edges
/// and vertices. These are numbered as the cells touch them first; the first cell of an edge is the one that
/// touches it first, so the only one that is kept, or else the smaller one (normal, vertices, angle and
/// weights turn with it). Lists of cells and vertices begin where they began. Lengths, areas of cells and
/// whole triangles stay; kites and weights of what is cut off are 0.
/// @param cells the old number of each new cell
/// @throws InputError if `cells` is empty, or names a cell twice or one that is not there
Mesh select(const Mesh& mesh, std::span<const LocalIndex> cells);

/// The part of a mesh whose cells `keep` names, in their order; see `select`.
/// @param keep (cell) not 0 for the cells that stay
/// @throws InputError if `keep` has another length, or keeps nothing
Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep);

/// The same mesh with its cells in another order, and edges and vertices as these touch them; see `select`.
Mesh ordered(const Mesh& mesh, graph::Order order);

/// Some cells, edges and vertices of a mesh by their numbers, in the order in which they are named. Lists
/// still hold the numbers of the whole mesh.
Mesh rows(const Mesh& mesh, std::span<const GlobalIndex> cells, std::span<const GlobalIndex> edges,
          std::span<const GlobalIndex> vertices);

}  // namespace halcyon::mesh
