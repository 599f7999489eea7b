#pragma once

#include <span>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Some cells, edges and vertices of a mesh by their numbers, in the order in which they are named. Lists
/// still hold the numbers of the whole mesh.
Mesh rows(const Mesh& mesh, std::span<const GlobalIndex> cells, std::span<const GlobalIndex> edges,
          std::span<const GlobalIndex> vertices);

}  // namespace halcyon::mesh
