#pragma once

#include <cstdint>
#include <span>

#include "halcyon/graph/order.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// The part of a mesh whose cells `keep` names, in their order; see `select`.
/// @param keep (cell) not 0 for the cells that stay
/// @throws InputError if `keep` has another length, or keeps nothing
Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep);

/// The same mesh with its cells in another order, and edges and vertices as these touch them; see `select`.
Mesh ordered(const Mesh& mesh, graph::Order order);

}  // namespace halcyon::mesh
