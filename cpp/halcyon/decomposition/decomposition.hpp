#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/schedule/halo/halo.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::decomposition {

/// Local numbering of the cells, edges or vertices on a rank: owned entities, then one halo layer after the
/// other.
struct IndexMap {
  std::vector<GlobalIndex> to_global;  ///< (local index) global id
  LocalIndex n_owned = 0;
  std::vector<LocalIndex> layer_offsets;  ///< first index of each halo layer, then the size

  LocalIndex size() const { return static_cast<LocalIndex>(to_global.size()); }
};

/// The part of a mesh on one rank (as in GRIST, Liu et al. 2020, 2.1). Local cells are numbered inner |
/// boundary | halo layer 1 | halo layer 2 ... . An inner cell has no halo cell among its neighbours, so it
/// can be computed while the halo is exchanged. Inner and boundary cells keep their order in the mesh; a halo
/// layer is sorted by owner, then global id. An edge or vertex is owned by the lowest rank that owns a cell
/// on it. Owned edges and vertices are numbered in the order in which the owned cells list them first. Halo
/// edges and vertices belong to the layer of the first local cell that lists them (to layer 1 if that cell is
/// owned); each layer is sorted by owner, then global id.
struct Decomposition {
  std::vector<IndexMap> index_maps;  ///< cells, then the other kinds of the topology (edges, vertices)
  LocalIndex n_inner = 0;            ///< cells 0 .. n_inner - 1 are inner, n_inner .. n_owned - 1 boundary
  schedule::Halo::Neighbours neighbours;  ///< exchange lists for schedule::Halo

  const IndexMap& cells() const { return index_maps[0]; }
};

/// Returns the part of `rank`. Does not communicate, so that one process can compute the decomposition and
/// halo schedule of every rank of a run. Apart from the list of owners, work and memory scale with the parts
/// of `rank` and its neighbours.
/// @param owners the rank that owns each cell of the mesh
/// @param n_layers number of halo layers, at least 1
Decomposition decompose(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers);

/// Returns the part of the rank that owns `cells`, with empty exchange lists; work scales with this part.
/// @param cells all cells of one rank, ascending; at least one
Decomposition decompose_cells(const Topology& topology, std::span<const Rank> owners,
                              std::span<const LocalIndex> cells, int n_layers);

/// Collective. Returns the part of this rank. Work and memory scale with the slice and part of each rank.
/// @param slice connectivity of a block of consecutive cells, which this rank read
/// @param owners the rank that owns each cell of the slice
/// @throws InputError, ConfigError on all ranks for an invalid slice, owner or number of layers
Decomposition decompose(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                        int n_layers);

/// Returns the messages and bytes that each rank receives in one halo exchange: the result of
/// `schedule::volumes`, but computed without the decompositions of the ranks. Tens of thousands of ranks take
/// seconds; each thread stores the halo of one rank at a time.
/// @param owners the rank that owns each cell
/// @param n_layers number of halo layers, at least 1
/// @param fields the fields that are exchanged together
/// @param threads maximum number of threads; 0: one per processor
/// @throws ConfigError for fewer than 1 layer or rank, and for fields that need more layers
/// @throws InputError unless each cell has an owner in 0 .. n_ranks - 1
schedule::Volumes halo_volumes(const Topology& topology, std::span<const Rank> owners, Rank n_ranks,
                               int n_layers, std::span<const schedule::HaloField> fields, int threads = 0);

}  // namespace halcyon::decomposition
