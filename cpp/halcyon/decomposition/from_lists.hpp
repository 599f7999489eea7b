#pragma once

#include <array>
#include <span>
#include <string_view>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

/// Names of the kinds of entities of a mesh: kind 0, 1 and 2.
inline constexpr std::array<std::string_view, 3> kKinds{"cell", "edge", "vertex"};

/// Returns the topology (connectivity) of any mesh. `set_shared` adds its edges and vertices.
/// @param offsets (n_cells + 1) cell i has the neighbours cells_on_cell[offsets[i] .. offsets[i + 1] - 1]
/// @param cells_on_cell neighbours; negative entries are ignored
/// @throws InputError if the offsets do not ascend from 0 to the number of neighbours, a neighbour is not a
/// cell, a cell is its own neighbour, or a cell is not a neighbour of its neighbour
Topology topology_of(std::span<const LocalIndex> offsets, std::span<const LocalIndex> cells_on_cell);

/// Sets the edges (kind 1) or vertices (kind 2) on the cells of a topology.
/// @param offsets (n_cells + 1) cell i has the entities on_cell[offsets[i] .. offsets[i + 1] - 1]
/// @param on_cell edges or vertices; negative entries are ignored
/// @param n_shared number of edges or vertices of the whole mesh
/// @throws InputError for invalid offsets or indices, and unless there is one list per cell
void set_shared(Topology& topology, int kind, std::span<const LocalIndex> offsets,
                std::span<const LocalIndex> on_cell, LocalIndex n_shared);

/// Returns the slice of this rank: the topology of a block of consecutive cells. `set_shared` adds edges and
/// vertices.
/// @param n_cells number of cells of the whole mesh
/// @param offsets (cell of the slice + 1) offsets into `cells_on_cell`
/// @param cells_on_cell global ids of neighbours; negative entries are ignored
/// @throws InputError if the offsets do not ascend from 0 to the number of neighbours, or an id is invalid
Slice slice_of(GlobalIndex n_cells, std::span<const LocalIndex> offsets,
               std::span<const GlobalIndex> cells_on_cell);

/// Sets the edges (kind 1) or vertices (kind 2) on the cells of a slice, as global ids 0 .. n_shared - 1.
void set_shared(Slice& slice, int kind, std::span<const LocalIndex> offsets,
                std::span<const GlobalIndex> on_cell, GlobalIndex n_shared);

/// Converts global ids to local indices; kNone for entities that are not on the rank. Each call takes time
/// proportional to the size of the index map, so pass all ids in one call.
/// @param local receives one index per id
void to_local(const IndexMap& index_map, std::span<const GlobalIndex> ids, std::span<LocalIndex> local);

/// Checks that each cell has an owner in 0 .. n_ranks - 1. @throws InputError if not
void require_owners(const Topology& topology, std::span<const Rank> owners, Rank n_ranks);

}  // namespace halcyon::decomposition
