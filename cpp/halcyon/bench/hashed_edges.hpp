#pragma once

#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::bench {

/// The edges on the first `n_cells` cells in the order in which a hash set of them, filled cell by cell,
/// hands them back: how MPAS' mesh converter numbers edges (MPAS-Tools, mpas_mesh_converter.cpp, buildEdges,
/// an `unordered_set` of pairs of vertices).
/// @returns order[new] = old
std::vector<LocalIndex> hashed_edges(const mesh::Mesh& mesh, LocalIndex n_cells);

}  // namespace halcyon::bench
