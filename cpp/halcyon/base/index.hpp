#pragma once

#include <cstdint>

namespace halcyon {

/// Position of a cell, edge or vertex in one rank's arrays; kNone where there is none.
using LocalIndex = std::int32_t;

/// Position of a cell, edge or vertex in the mesh file (zero-based).
using GlobalIndex = std::int64_t;

/// A process of a run, real or pretended.
using Rank = std::int32_t;

/// No neighbour: land, or beyond the edge of a limited area.
inline constexpr LocalIndex kNone = -1;

}  // namespace halcyon
