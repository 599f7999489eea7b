#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/schedule/halo/halo.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::decomposition {

/// The entities of one kind (cells, edges or vertices) that a rank holds: first those that it owns, then the
/// halo, layer after layer.
struct Share {
  std::vector<GlobalIndex> to_global;
  LocalIndex n_owned = 0;
  std::vector<LocalIndex> layer_offsets;  ///< halo layer l is layer_offsets[l] .. layer_offsets[l + 1]

  LocalIndex size() const { return static_cast<LocalIndex>(to_global.size()); }
};

/// One rank's part of a mesh (Liu et al., GRIST infrastructure, 2.1). Local cells are numbered
/// inner | boundary | halo layer 1 | halo layer 2 ...: an inner cell has no halo cell among its neighbours,
/// so it can be computed while the halo travels. Inner and boundary cells keep their order in the mesh; a
/// halo layer is sorted by owner, then global id. Edges and vertices follow their cells (sorted by first
/// touch); each is owned by the smallest rank that owns a cell on it, and is in the halo layer of the first
/// cells that touch it (the first layer, where owned cells do), sorted like cells.
struct Decomposition {
  std::vector<Share> shares;              ///< cells, then the topology's other kinds (edges, vertices)
  LocalIndex n_inner = 0;                 ///< cells 0 .. n_inner are inner, n_inner .. n_owned boundary
  schedule::Halo::Neighbours neighbours;  ///< what is exchanged, for a schedule::Halo

  const Share& cells() const { return shares[0]; }
};

/// The part of `rank`, found from the owners of all cells without any communication, so that the
/// decomposition and halo schedule of every rank of any run can be had in one process. Work and memory beyond
/// the owners' list are those of the rank and its neighbours.
/// @param owners the rank that owns each cell
/// @param n_layers of halo cells, at least 1
Decomposition decompose(const Topology& topology, std::span<const Rank> owners, Rank rank, int n_layers);

/// The same without neighbours, where the cells of a rank are known: work is that of its part alone.
/// @param cells those of one rank, ascending; at least one
Decomposition surrounded(const Topology& topology, std::span<const Rank> owners,
                         std::span<const LocalIndex> cells, int n_layers);

/// Collective. The same part of this rank, found from a slice of the mesh on each rank: work and memory are
/// those of a rank's slice and part.
/// @param owners the rank of each cell of this rank's block
/// @throws InputError and ConfigError on all ranks for slices, owners and layers that cannot be
Decomposition decompose(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners,
                        int n_layers);

/// What one exchange of a group of fields brings to each rank: the `schedule::volumes` of the halo of every
/// rank's decomposition, found without any of them. Each rank's own cells and halo are looked at once, so
/// that tens of thousands of ranks take seconds; a thread holds no more than one rank's halo.
/// @param owners the rank that owns each cell
/// @param n_layers of halo cells, at least 1
/// @param fields that travel together, on kinds of entity of the topology
/// @param threads at most; 0: one a processor. The answer does not depend on it
/// @throws ConfigError for fewer layers or ranks than 1, and a field that needs more layers
/// @throws InputError where the owners are not one rank of 0 .. n_ranks - 1 a cell
schedule::Volumes halo_volumes(const Topology& topology, std::span<const Rank> owners, Rank n_ranks,
                               int n_layers, std::span<const schedule::HaloField> fields, int threads = 0);

}  // namespace halcyon::decomposition
