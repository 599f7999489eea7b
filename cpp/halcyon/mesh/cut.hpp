#pragma once

#include <cstdint>
#include <span>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// The part of a mesh whose cells `keep` names, with all their edges and vertices. Cells keep their order;
/// edges and vertices are numbered as the cells touch them first; a boundary edge has its kept cell first
/// (normal, vertices, angle and weights turn with it). Lengths, areas of cells and whole triangles stay;
/// kites and weights of what is cut off are 0.
/// @param keep (cell) not 0 for the cells that stay
/// @throws InputError if `keep` has another length, or keeps nothing
Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep);

}  // namespace halcyon::mesh
