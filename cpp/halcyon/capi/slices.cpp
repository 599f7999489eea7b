#include <span>
#include <utility>
#include <vector>

#include "halcyon/capi/halo_handles.hpp"
#include "halcyon/decomposition/mesh_file.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

/// The caller's offsets of the lists of `n_block` cells.
std::span<const std::int32_t> offsets_of(std::int32_t n_block, const std::int32_t* offsets) {
  require<InternalError>(n_block >= 0, "The count of cells is {}, but must be at least 0.", n_block);
  return given_list(offsets, n_block + std::int64_t{1}, "offsets");
}

decomposition::Decomposition part_of(const comm::Communicator& comm, const decomposition::Slice& slice,
                                     std::span<const Rank> owners, std::int32_t n_layers) {
  std::vector<Rank> ranks(owners.begin(), owners.end());
  if (comm.max(std::ssize(owners)) == 0) ranks = decomposition::partition(comm, slice);
  return decomposition::decompose(comm, slice, ranks, n_layers);
}

}  // namespace

int halcyon_block(int64_t n_items, int32_t n_ranks, int32_t rank, int64_t* first, int64_t* end) {
  return guarded([&] {
    require<InternalError>(n_items >= 0 && rank >= 0 && rank < n_ranks,
                           "There is no block of rank {} of {} for {} items.", rank, n_ranks, n_items);
    const decomposition::Blocks blocks{n_items, n_ranks};
    given(first, "first") = blocks.first(rank);
    given(end, "end") = blocks.first(rank + 1);
  });
}

int halcyon_slice_create(int64_t n_cells, int32_t n_block, const int32_t* offsets, int64_t n_values,
                         const int64_t* cells_on_cell, halcyon_slice** slice) {
  return guarded([&] {
    auto& into = given(slice, "slice");
    const auto values = given_list(cells_on_cell, n_values, "cells_on_cell");
    into = new halcyon_slice{decomposition::slice_of(n_cells, offsets_of(n_block, offsets), values)};
  });
}

int halcyon_slice_share(halcyon_slice* slice, halcyon_location location, int64_t n_shared,
                        const int32_t* offsets, int64_t n_values, const int64_t* on_cell) {
  return guarded([&] {
    auto& into = given(slice, "slice").slice;
    decomposition::set_shared(into, kind_of(location), offsets_of(into.cells_on_cell.size(), offsets),
                              given_list(on_cell, n_values, "on_cell"), n_shared);
  });
}

int halcyon_slice_read(int32_t comm, const char* path, halcyon_slice** slice) {
  return guarded([&] {
    auto& into = given(slice, "slice");
    decomposition::MeshFile file(comm::Communicator::from_fortran(comm), given_text(path, "path"));
    into = new halcyon_slice{file.slice()};
  });
}

int halcyon_slice_n_items(const halcyon_slice* slice, halcyon_location location, int64_t* n_items) {
  return guarded([&] { given(n_items, "n_items") = given(slice, "slice").slice.n_items[kind_of(location)]; });
}

void halcyon_slice_free(halcyon_slice* slice) {
  delete slice;
}

int halcyon_decomposition_create_sliced(int32_t comm, const halcyon_slice* slice, int32_t n_owners,
                                        const int32_t* owners, int32_t n_layers,
                                        halcyon_decomposition** decomposition) {
  return guarded([&] {
    auto& into = given(decomposition, "decomposition");
    const auto& mine = given(slice, "slice").slice;
    const auto ranks = given_list(owners, n_owners, "owners");
    auto whole = comm::Communicator::from_fortran(comm);
    auto part = part_of(whole, mine, ranks, n_layers);
    into = new halcyon_decomposition(std::move(whole), std::move(part));
  });
}
