#pragma once

#include <array>
#include <span>
#include <string_view>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/decomposition/topology.hpp"

namespace halcyon::decomposition {

/// The kinds of entity of a mesh, by their numbers in a topology.
inline constexpr std::array<std::string_view, 3> kKinds{"cell", "edge", "vertex"};

/// The topology of any mesh, without edges and vertices at first.
/// @param offsets (cell + 1) where the neighbours of each cell begin in cells_on_cell
/// @param cells_on_cell neighbours; a negative one means none
/// @throws InputError where the offsets do not ascend from 0 to the number of neighbours, a neighbour is no
/// cell, a cell its own neighbour, or not a neighbour of its neighbour
Topology topology_of(std::span<const LocalIndex> offsets, std::span<const LocalIndex> cells_on_cell);

/// Gives a topology the edges (kind 1) or vertices (kind 2) that its cells share.
/// @param on_cell those of each cell; a negative one means none
/// @param n_shared of the whole mesh
/// @throws InputError as `topology_of`, and where there are not as many lists as cells
void set_shared(Topology& topology, int kind, std::span<const LocalIndex> offsets,
                std::span<const LocalIndex> on_cell, LocalIndex n_shared);

/// This rank's slice of any mesh, without edges and vertices at first: the cells of its block.
/// @param n_cells of the whole mesh
/// @param offsets (cell of the block + 1) where its neighbours begin in cells_on_cell
/// @param cells_on_cell neighbours, global ids; a negative one means none
/// @throws InputError where the offsets do not ascend from 0 to the number of neighbours, or a neighbour is
/// no cell
Slice slice_of(GlobalIndex n_cells, std::span<const LocalIndex> offsets,
               std::span<const GlobalIndex> cells_on_cell);

/// Gives a slice the edges (kind 1) or vertices (kind 2) on its cells, global ids of `n_shared`, as above.
void set_shared(Slice& slice, int kind, std::span<const LocalIndex> offsets,
                std::span<const GlobalIndex> on_cell, GlobalIndex n_shared);

/// What a rank's arrays call the items with these global ids: their places in `share`, kNone where the rank
/// does not hold one. Give all ids at once: each call goes through the share.
/// @param local beside ids
void to_local(const Share& share, std::span<const GlobalIndex> ids, std::span<LocalIndex> local);

/// @throws InputError unless each cell is owned by one of `n_ranks` ranks
void require_owners(const Topology& topology, std::span<const Rank> owners, Rank n_ranks);

}  // namespace halcyon::decomposition
