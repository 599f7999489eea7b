#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "capi/grid.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// The slice of this rank (topology of its block of cells) in C, from the topology of a whole grid.
halcyon_slice* slice_of(const decomposition::Topology& whole) {
  std::int64_t first = 0, end = 0;
  REQUIRE(halcyon_block(whole.n_cells(), world_size(), world_rank(), &first, &end) == HALCYON_OK);
  const auto block = [&](const decomposition::Lists& lists) {
    decomposition::GlobalLists own_lists;
    for (auto cell = first; cell < end; ++cell) {
      for (const auto item : lists[static_cast<LocalIndex>(cell)]) own_lists.values.push_back(item);
      own_lists.values.push_back(-1);  // no neighbour
      own_lists.close();
    }
    return own_lists;
  };
  const auto cells = block(whole.cells_on_cell);
  halcyon_slice* slice = nullptr;
  REQUIRE(halcyon_slice_create(whole.n_cells(), cells.size(), cells.offsets.data(), std::ssize(cells.values),
                               cells.values.data(), &slice) == HALCYON_OK);
  for (const auto location : {HALCYON_EDGE, HALCYON_VERTEX}) {
    const auto& [on_cell, cells_on] = whole.shared[location - 1];
    const auto own_lists = block(on_cell);
    REQUIRE(halcyon_slice_share(slice, location, cells_on.size(), own_lists.offsets.data(),
                                std::ssize(own_lists.values), own_lists.values.data()) == HALCYON_OK);
    std::int64_t n = 0;
    CHECK(halcyon_slice_n_items(slice, location, &n) == HALCYON_OK);
    CHECK(n == cells_on.size());
  }
  return slice;
}

/// Checks that the decomposition in C equals the one in C++.
void check_part(const halcyon_decomposition* part, const decomposition::Decomposition& expected) {
  std::int32_t n = 0;
  const std::int32_t* ranks = nullptr;
  CHECK(halcyon_decomposition_n_inner(part, &n) == HALCYON_OK);
  CHECK(n == expected.n_inner);
  for (const auto location : {HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX}) {
    halcyon_share share;
    CHECK(halcyon_decomposition_share(part, location, &share) == HALCYON_OK);
    const auto& expected_map = expected.index_maps[location];
    CHECK(share.n_owned == expected_map.n_owned);
    CHECK(share.n_layers == kLayers);
    REQUIRE(share.n_local == expected_map.size());
    CHECK(std::equal(expected_map.to_global.begin(), expected_map.to_global.end(), share.to_global));
    CHECK(std::equal(expected_map.layer_offsets.begin(), expected_map.layer_offsets.end(),
                     share.layer_offsets));
  }
  CHECK(halcyon_decomposition_neighbours(part, &n, &ranks) == HALCYON_OK);
  REQUIRE(n == std::ssize(expected.neighbours));
  for (std::int32_t i = 0; i < n; ++i) CHECK(ranks[i] == expected.neighbours[i].rank);
}

}  // namespace

TEST_CASE("capi: a decomposition is that of C++") {
  const Grid grid;
  const auto owners = owners_of(grid.whole, world_size());
  check_part(grid.part, decomposition::decompose(grid.whole, owners, world_rank(), kLayers));
}

TEST_CASE("capi: global ids become local ones") {
  const Grid grid;
  const auto cells = grid.share(HALCYON_CELL);
  std::vector<std::int64_t> ids(grid.whole.n_cells());
  std::iota(ids.rbegin(), ids.rend(), 0);
  std::vector<std::int32_t> local(ids.size(), 77);
  CHECK(halcyon_decomposition_to_local(grid.part, HALCYON_CELL, std::ssize(ids), ids.data(), local.data()) ==
        HALCYON_OK);
  std::int32_t n_local = 0;  // cells of this rank and its halo
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (local[i] == -1) continue;
    ++n_local;
    REQUIRE((local[i] >= 0 && local[i] < cells.n_local));
    CHECK(cells.to_global[local[i]] == ids[i]);
  }
  CHECK(n_local == cells.n_local);
}

TEST_CASE("capi: a partition by options, and given owners") {
  const Grid grid;
  std::vector<std::int32_t> owners(grid.whole.n_cells(), -1);
  halcyon_partition_options options;
  halcyon_partition_options_default(&options);
  CHECK(halcyon_partition(grid.topology, 5, nullptr, owners.data()) == HALCYON_OK);
  CHECK(owners == owners_of(grid.whole, 5));
  options.method = "recursive";
  options.contiguous = 1;
  options.seed = 3;
  CHECK(halcyon_partition(grid.topology, 6, &options, owners.data()) == HALCYON_OK);
  CHECK(std::ranges::max(owners) == 5);
  options.ranks_per_node = 3;
  CHECK(halcyon_partition(grid.topology, 6, &options, owners.data()) == HALCYON_OK);
  CHECK(std::ranges::max(owners) == 5);
  options.method = "round";
  CHECK(halcyon_partition(grid.topology, 6, &options, owners.data()) == HALCYON_INPUT_ERROR);
  check_error_text("'round'");

  for (std::size_t cell = 0; cell < owners.size(); ++cell)
    owners[cell] = static_cast<std::int32_t>(cell) % world_size();
  const Grid round_robin(owners);
  const auto cells = round_robin.share(HALCYON_CELL);
  for (std::int32_t i = 0; i < cells.n_owned; ++i) CHECK(cells.to_global[i] % world_size() == world_rank());
}

TEST_CASE("capi: owners and layers that cannot be are refused on all ranks") {
  Grid grid;
  std::vector<std::int32_t> owners(grid.whole.n_cells(), 0);
  owners[7] = world_size();
  CHECK(grid.decompose(owners, 1) == HALCYON_INPUT_ERROR);
  check_error_text("Cell 7 is owned by rank " + std::to_string(world_size()) + ", but the ranks are 0 to ");
  CHECK(grid.decompose({}, 0) == HALCYON_INPUT_ERROR);
  check_error_text("A halo needs at least 1 layer, not 0.");
  owners.pop_back();
  CHECK(grid.decompose(owners, 1) == HALCYON_INPUT_ERROR);
  check_error_text("There are 287 owners for 288 cells.");
}

TEST_CASE("capi: meshes that cannot be are refused" * in_process()) {
  halcyon_topology* topology = nullptr;
  const std::vector<std::int32_t> offsets{0, 1, 2}, neighbours{1, 0};
  const auto create = [&](const std::vector<std::int32_t>& cell_offsets,
                          const std::vector<std::int32_t>& cells) {
    return halcyon_topology_create(2, cell_offsets.data(), std::ssize(cells), cells.data(), &topology);
  };
  CHECK(create(offsets, {1, 2}) == HALCYON_INPUT_ERROR);
  check_error_text("Cell 1 has the cell 2, but the numbers are 0 to 1.");
  CHECK(create(offsets, {1, -1}) == HALCYON_INPUT_ERROR);
  check_error_text("Cell 0 has the neighbour 1, but not vice versa.");
  CHECK(create({0, 3, 2}, {1, 0}) == HALCYON_INPUT_ERROR);
  check_error_text("The offsets of the cell list of cell 1 decrease from 3 to 2.");
  CHECK(halcyon_topology_create(-1, offsets.data(), 2, neighbours.data(), &topology) ==
        HALCYON_INTERNAL_ERROR);
  check_error_text("The number of cells is -1");
  CHECK(halcyon_topology_create(2, nullptr, 2, neighbours.data(), &topology) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for offsets.");
  CHECK(halcyon_topology_read("nowhere/mesh.nc", &topology) == HALCYON_INPUT_ERROR);
  check_error_text("nowhere/mesh.nc");
  CHECK(topology == nullptr);
  REQUIRE(create(offsets, neighbours) == HALCYON_OK);
  CHECK(halcyon_topology_share(topology, HALCYON_EDGE, 2, offsets.data(), 2, std::vector{0, 2}.data()) ==
        HALCYON_INPUT_ERROR);
  check_error_text("Cell 1 has the edge 2, but the numbers are 0 to 1.");
  halcyon_topology_free(topology);
}

TEST_CASE("capi: from slices comes the same part as from the whole") {
  const auto whole = longitude_latitude(24, 12);
  const auto owners = owners_of(whole, world_size());
  const auto expected = decomposition::decompose(whole, owners, world_rank(), kLayers);
  halcyon_slice* slice = slice_of(whole);
  std::int64_t first = 0, end = 0;
  CHECK(halcyon_block(whole.n_cells(), world_size(), world_rank(), &first, &end) == HALCYON_OK);
  const auto comm = MPI_Comm_c2f(world());
  halcyon_decomposition* part = nullptr;
  const auto n_block = static_cast<std::int32_t>(end - first);
  REQUIRE(halcyon_decomposition_create_sliced(comm, slice, n_block, owners.data() + first, kLayers, &part) ==
          HALCYON_OK);
  check_part(part, expected);
  halcyon_decomposition_free(part);
  part = nullptr;
  REQUIRE(halcyon_decomposition_create_sliced(comm, slice, 0, nullptr, kLayers, &part) == HALCYON_OK);
  check_part(part, expected);  // partitioned by METIS, as in owners_of
  halcyon_decomposition_free(part);
  part = nullptr;
  auto wrong = owners;
  wrong[first] = world_size();
  CHECK(halcyon_decomposition_create_sliced(comm, slice, n_block, wrong.data() + first, kLayers, &part) ==
        HALCYON_INPUT_ERROR);
  check_error_text("is owned by rank " + std::to_string(world_size()));
  CHECK(halcyon_decomposition_create_sliced(comm, slice, n_block, owners.data() + first, 0, &part) ==
        HALCYON_INPUT_ERROR);
  CHECK(part == nullptr);
  halcyon_slice_free(slice);
}

TEST_CASE("capi: slices that cannot be are refused on all ranks") {
  halcyon_slice* slice = nullptr;
  const std::vector<std::int32_t> offsets{0, 1, 2};
  const auto create = [&](std::int64_t n_cells, const std::vector<std::int64_t>& cells) {
    return halcyon_slice_create(n_cells, 2, offsets.data(), std::ssize(cells), cells.data(), &slice);
  };
  CHECK(create(2, {1, 2}) == HALCYON_INPUT_ERROR);
  check_error_text("Cell 1 has the cell 2, but the numbers are 0 to 1.");
  CHECK(create(2, {1, 0, 0}) == HALCYON_INPUT_ERROR);
  check_error_text("must run from 0 to 3");
  CHECK(halcyon_slice_read(MPI_Comm_c2f(world()), "nowhere/mesh.nc", &slice) == HALCYON_INPUT_ERROR);
  check_error_text("nowhere/mesh.nc");
  std::int64_t first = 0, end = 0;
  CHECK(halcyon_block(5, 2, 2, &first, &end) == HALCYON_INTERNAL_ERROR);
  check_error_text("no block of rank 2 of 2");
  REQUIRE(create(1000, {1, 0}) == HALCYON_OK);  // two cells, but the block has more
  halcyon_decomposition* part = nullptr;
  CHECK(halcyon_decomposition_create_sliced(MPI_Comm_c2f(world()), slice, 0, nullptr, 1, &part) ==
        HALCYON_INPUT_ERROR);
  check_error_text("A slice has lists of 2 cells");
  halcyon_slice_free(slice);
}
