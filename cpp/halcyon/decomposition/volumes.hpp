#pragma once

#include <span>

#include "halcyon/base/index.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/schedule/halo/halo.hpp"
#include "halcyon/schedule/halo/volumes.hpp"

namespace halcyon::decomposition {

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
