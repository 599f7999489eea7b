#pragma once

#include <span>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// The part of a mesh that has the named cells, in the order in which they are named, with all their edges
/// and vertices. These are numbered as the cells touch them first; the first cell of an edge is the one that
/// touches it first, so the only one that is kept, or else the smaller one (normal, vertices, angle and
/// weights turn with it). Lists of cells and vertices begin where they began. Lengths, areas of cells and
/// whole triangles stay; kites and weights of what is cut off are 0.
/// @param cells the old number of each new cell
/// @throws InputError if `cells` is empty, or names a cell twice or one that is not there
Mesh select(const Mesh& mesh, std::span<const LocalIndex> cells);

}  // namespace halcyon::mesh
