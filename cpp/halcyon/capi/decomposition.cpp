#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/capi/handles.hpp"
#include "halcyon/decomposition/mesh_file.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

graph::NeighbourLists neighbour_lists(std::int32_t n_cells, const std::int32_t* offsets,
                                      std::int64_t n_values, const std::int32_t* values) {
  require<InternalError>(n_cells >= 0, "The number of cells is {}, but must be at least 0.", n_cells);
  return {checked_span(offsets, n_cells + std::int64_t{1}, "offsets"),
          checked_span(values, n_values, "values")};
}

std::vector<Rank> owners_of(const decomposition::Topology& topology, Rank n_ranks,
                            const halcyon_partition_options& requested) {
  const auto& cells = topology.cells_on_cell;
  const auto adjacency = graph::make_adjacency(cells.offsets, cells.values);
  const graph::PartitionOptions options{
      graph::partition_method_named(checked_text(requested.method, "partition.method")), requested.seed,
      requested.contiguous != 0};
  return requested.ranks_per_node == 0
             ? graph::partition(adjacency, n_ranks, options)
             : graph::two_level_partition(adjacency, n_ranks, requested.ranks_per_node, options);
}

halcyon_partition_options defaults() {
  halcyon_partition_options options;
  halcyon_partition_options_default(&options);
  return options;
}

decomposition::Decomposition make_decomposition(const comm::Communicator& comm,
                                                const decomposition::Topology& topology,
                                                std::span<const Rank> given_owners, std::int32_t n_layers) {
  std::vector<Rank> owners(given_owners.begin(), given_owners.end());
  if (owners.empty()) owners = owners_of(topology, comm.size(), defaults());
  decomposition::require_owners(topology, owners, comm.size());
  return decomposition::decompose(topology, owners, comm.rank(), n_layers);
}

const decomposition::IndexMap& index_map_of(const halcyon_decomposition* decomposition,
                                            halcyon_location location) {
  return checked(decomposition, "decomposition").part.index_maps[index_of(location)];
}

/// Offsets of the adjacency lists of `n_block` cells.
std::span<const std::int32_t> checked_offsets(std::int32_t n_block, const std::int32_t* offsets) {
  require<InternalError>(n_block >= 0, "The number of cells is {}, but must be at least 0.", n_block);
  return checked_span(offsets, n_block + std::int64_t{1}, "offsets");
}

decomposition::Decomposition make_decomposition(const comm::Communicator& comm,
                                                const decomposition::Slice& slice,
                                                std::span<const Rank> given_owners, std::int32_t n_layers) {
  std::vector<Rank> owners(given_owners.begin(), given_owners.end());
  if (comm.max(std::ssize(owners)) == 0) owners = decomposition::partition(comm, slice);
  return decomposition::decompose(comm, slice, owners, n_layers);
}

}  // namespace

int halcyon_topology_create(int32_t n_cells, const int32_t* offsets, int64_t n_values,
                            const int32_t* cells_on_cell, halcyon_topology** topology) {
  return guarded([&] {
    auto& out = checked(topology, "topology");
    const auto lists = neighbour_lists(n_cells, offsets, n_values, cells_on_cell);
    out = new halcyon_topology{decomposition::topology_of(lists.offsets, lists.neighbours)};
  });
}

int halcyon_topology_share(halcyon_topology* topology, halcyon_location location, int32_t n_shared,
                           const int32_t* offsets, int64_t n_values, const int32_t* on_cell) {
  return guarded([&] {
    auto& out = checked(topology, "topology").topology;
    const auto lists = neighbour_lists(out.n_cells(), offsets, n_values, on_cell);
    decomposition::set_shared(out, index_of(location), lists.offsets, lists.neighbours, n_shared);
  });
}

int halcyon_topology_read(const char* path, halcyon_topology** topology) {
  return guarded([&] {
    auto& out = checked(topology, "topology");
    out = new halcyon_topology{decomposition::topology_of(mesh::read_mpas(checked_text(path, "path")))};
  });
}

int halcyon_topology_lists(const halcyon_topology* topology, halcyon_location location,
                           const int32_t** offsets, const int32_t** values) {
  return guarded([&] {
    const auto& [cells, shared] = checked(topology, "topology").topology;
    const auto index = index_of(location);
    const auto& lists = index == 0 ? cells : shared[index - 1].on_cell;
    checked(offsets, "offsets") = lists.offsets.data();
    checked(values, "values") = lists.values.data();
  });
}

void halcyon_partition_options_default(halcyon_partition_options* options) {
  const graph::PartitionOptions preset;
  *options = {.method = "kway", .seed = preset.seed, .contiguous = preset.contiguous, .ranks_per_node = 0};
}

int halcyon_partition(const halcyon_topology* topology, int32_t n_ranks,
                      const halcyon_partition_options* options, int32_t* owners) {
  return guarded([&] {
    const auto partition = owners_of(checked(topology, "topology").topology, n_ranks,
                                     options == nullptr ? defaults() : *options);
    std::ranges::copy(partition, checked_span(owners, std::ssize(partition), "owners").begin());
  });
}

int halcyon_decomposition_create(int32_t comm, const halcyon_topology* topology, int32_t n_owners,
                                 const int32_t* owners, int32_t n_layers,
                                 halcyon_decomposition** decomposition) {
  return guarded([&] {
    auto& out = checked(decomposition, "decomposition");
    const auto& mesh_topology = checked(topology, "topology").topology;
    const auto ranks = checked_span(owners, n_owners, "owners");
    auto communicator = comm::Communicator::from_fortran(comm);
    decomposition::Decomposition part;
    communicator.agree([&] { part = make_decomposition(communicator, mesh_topology, ranks, n_layers); });
    out = new halcyon_decomposition(std::move(communicator), std::move(part));
  });
}

int halcyon_decomposition_n_inner(const halcyon_decomposition* decomposition, int32_t* n_inner) {
  return guarded([&] { checked(n_inner, "n_inner") = checked(decomposition, "decomposition").part.n_inner; });
}

int halcyon_decomposition_share(const halcyon_decomposition* decomposition, halcyon_location location,
                                halcyon_share* share) {
  return guarded([&] {
    const auto& map = index_map_of(decomposition, location);
    checked(share, "share") = {.n_owned = map.n_owned,
                               .n_local = map.size(),
                               .n_layers = static_cast<int32_t>(map.layer_offsets.size()) - 1,
                               .layer_offsets = map.layer_offsets.data(),
                               .to_global = map.to_global.data()};
  });
}

int halcyon_decomposition_to_local(const halcyon_decomposition* decomposition, halcyon_location location,
                                   int64_t n, const int64_t* ids, int32_t* local) {
  return guarded([&] {
    decomposition::to_local(index_map_of(decomposition, location), checked_span(ids, n, "ids"),
                            checked_span(local, n, "local"));
  });
}

int halcyon_decomposition_neighbours(const halcyon_decomposition* decomposition, int32_t* n,
                                     const int32_t** ranks) {
  return guarded([&] {
    const auto& neighbours = checked(decomposition, "decomposition").neighbours;
    checked(n, "n") = static_cast<int32_t>(neighbours.size());
    checked(ranks, "ranks") = neighbours.data();
  });
}

int halcyon_block(int64_t n_items, int32_t n_ranks, int32_t rank, int64_t* first, int64_t* end) {
  return guarded([&] {
    require<InternalError>(n_items >= 0 && rank >= 0 && rank < n_ranks,
                           "There is no block of rank {} of {} ranks for {} items.", rank, n_ranks, n_items);
    const decomposition::BlockDistribution blocks{n_items, n_ranks};
    checked(first, "first") = blocks.first(rank);
    checked(end, "end") = blocks.first(rank + 1);
  });
}

int halcyon_slice_create(int64_t n_cells, int32_t n_block, const int32_t* offsets, int64_t n_values,
                         const int64_t* cells_on_cell, halcyon_slice** slice) {
  return guarded([&] {
    auto& out = checked(slice, "slice");
    const auto values = checked_span(cells_on_cell, n_values, "cells_on_cell");
    out = new halcyon_slice{decomposition::slice_of(n_cells, checked_offsets(n_block, offsets), values)};
  });
}

int halcyon_slice_share(halcyon_slice* slice, halcyon_location location, int64_t n_shared,
                        const int32_t* offsets, int64_t n_values, const int64_t* on_cell) {
  return guarded([&] {
    auto& out = checked(slice, "slice").slice;
    decomposition::set_shared(out, index_of(location), checked_offsets(out.cells_on_cell.size(), offsets),
                              checked_span(on_cell, n_values, "on_cell"), n_shared);
  });
}

int halcyon_slice_read(int32_t comm, const char* path, halcyon_slice** slice) {
  return guarded([&] {
    auto& out = checked(slice, "slice");
    decomposition::MeshFile file(comm::Communicator::from_fortran(comm), checked_text(path, "path"));
    out = new halcyon_slice{file.slice()};
  });
}

int halcyon_slice_n_items(const halcyon_slice* slice, halcyon_location location, int64_t* n_items) {
  return guarded(
      [&] { checked(n_items, "n_items") = checked(slice, "slice").slice.n_items[index_of(location)]; });
}

int halcyon_decomposition_create_sliced(int32_t comm, const halcyon_slice* slice, int32_t n_owners,
                                        const int32_t* owners, int32_t n_layers,
                                        halcyon_decomposition** decomposition) {
  return guarded([&] {
    auto& out = checked(decomposition, "decomposition");
    const auto& local_slice = checked(slice, "slice").slice;
    const auto ranks = checked_span(owners, n_owners, "owners");
    auto communicator = comm::Communicator::from_fortran(comm);
    auto part = make_decomposition(communicator, local_slice, ranks, n_layers);
    out = new halcyon_decomposition(std::move(communicator), std::move(part));
  });
}
