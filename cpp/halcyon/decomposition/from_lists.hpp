#pragma once

#include <array>
#include <span>
#include <string_view>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

/// Names of the kinds of entities of a mesh, by their numbers in a topology.
inline constexpr std::array<std::string_view, 3> kKinds{"cell", "edge", "vertex"};

/// Returns the topology of any mesh, still without edges and vertices.
/// @param offsets (cell + 1) of the neighbours of each cell in cells_on_cell
/// @param cells_on_cell neighbours; negative entries are ignored
/// @throws InputError unless the offsets ascend from 0 to the number of neighbours, and the neighbours form
/// an undirected graph of cells without self-loops
Topology topology_of(std::span<const LocalIndex> offsets, std::span<const LocalIndex> cells_on_cell);

/// Sets the edges (kind 1) or vertices (kind 2) of the cells of a topology.
/// @param on_cell edges or vertices of each cell; negative entries are ignored
/// @param n_shared number of edges or vertices of the whole mesh
/// @throws InputError for invalid offsets or indices, and unless there is one list per cell
void set_shared(Topology& topology, int kind, std::span<const LocalIndex> offsets,
                std::span<const LocalIndex> on_cell, LocalIndex n_shared);

/// Returns the slice of any mesh that is the block of this rank, still without edges and vertices.
/// @param n_cells of the whole mesh
/// @param offsets (cell of the block + 1) of the neighbours of each cell in cells_on_cell
/// @param cells_on_cell global ids of neighbours; negative entries are ignored
/// @throws InputError unless the offsets ascend from 0 to the number of neighbours, and all neighbours are
/// cells
Slice slice_of(GlobalIndex n_cells, std::span<const LocalIndex> offsets,
               std::span<const GlobalIndex> cells_on_cell);

/// Sets the edges (kind 1) or vertices (kind 2) of the cells of a slice, as global ids 0 .. n_shared - 1.
void set_shared(Slice& slice, int kind, std::span<const LocalIndex> offsets,
                std::span<const GlobalIndex> on_cell, GlobalIndex n_shared);

/// Writes the local index of each global id, kNone for entities that the rank does not hold. Each call takes
/// time proportional to the size of the index map, so pass all ids in one call.
/// @param local (id)
void to_local(const IndexMap& index_map, std::span<const GlobalIndex> ids, std::span<LocalIndex> local);

/// @throws InputError unless each cell has an owner in 0 .. n_ranks - 1
void require_owners(const Topology& topology, std::span<const Rank> owners, Rank n_ranks);

}  // namespace halcyon::decomposition
