#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/graph/adjacency.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

using Flags = std::vector<std::uint8_t>;  ///< (cell) 1 for cells that are kept, else 0

/// Returns the largest connected component of the kept cells; among components of equal size, the one that
/// contains the smallest cell index.
/// @param keep (cell) nonzero for the cells that may be kept
Flags largest_component(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

/// Removes cells with fewer than two kept neighbours until none is left; this does not split a component.
/// @param keep (cell) nonzero for the cells that may be kept
Flags without_dead_ends(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

/// Returns a limited area with a clean boundary: the largest component of the kept cells, without dead ends.
/// @param keep (cell) nonzero for the cells that may be kept
/// @throws InputError if the lengths of `keep` and the lists differ
Flags clean_selection(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep);

/// Returns the part of a mesh with the given cells, in the given order, and all their edges and vertices.
/// Edges and vertices are numbered in the order of their first use by the cells; if both cells of an
/// edge are kept, the one with the smaller new index becomes the first cell, otherwise the kept one; normal,
/// vertices, angle and weights are reversed accordingly. The lists of a cell or vertex start at the same
/// neighbour as in `mesh`. Lengths, cell areas and triangle areas do not change; kites of removed cells and
/// weights of removed edges are 0.
/// @param cells the old index of each new cell
/// @throws InputError if `cells` is empty, repeats a cell, or contains an index that does not exist
Mesh select(const Mesh& mesh, std::span<const LocalIndex> cells);

/// Returns the part of a mesh with the cells that `keep` marks, in the order of `mesh`; see `select`.
/// @param keep (cell) nonzero for the cells that are kept
/// @throws InputError if `keep` has the wrong length, or marks no cell
Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep);

/// Returns the mesh with its cells in another order; edges and vertices are renumbered as in `select`.
Mesh ordered(const Mesh& mesh, graph::Order order);

/// Returns the arrays of a mesh for some cells, edges and vertices, in the given order. The entries of the
/// lists remain indices of the whole mesh.
Mesh select_without_renumbering(const Mesh& mesh, std::span<const GlobalIndex> cells,
                                std::span<const GlobalIndex> edges, std::span<const GlobalIndex> vertices);

}  // namespace halcyon::mesh
