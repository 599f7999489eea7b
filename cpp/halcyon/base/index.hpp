#pragma once

#include <cstdint>

namespace halcyon {

/// Position of a cell, edge or vertex in the arrays of one rank; kNone if there is no such entity.
using LocalIndex = std::int32_t;

/// Position of a cell, edge or vertex in the mesh file (zero-based).
using GlobalIndex = std::int64_t;

/// Rank of an MPI process, real or simulated.
using Rank = std::int32_t;

/// No item: a missing neighbour (land, or outside a limited-area mesh), no rank, no switch.
inline constexpr LocalIndex kNone = -1;

}  // namespace halcyon
