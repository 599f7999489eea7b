#include <string>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/decomposition/topology.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace halcyon::decomposition;

namespace {

/// The lists of the cells first to end - 1.
GlobalLists block_of(const Lists& lists, GlobalIndex first, GlobalIndex end) {
  GlobalLists block;
  for (auto cell = first; cell < end; ++cell) {
    const auto list = lists[static_cast<LocalIndex>(cell)];
    block.values.insert(block.values.end(), list.begin(), list.end());
    block.close();
  }
  return block;
}

/// The slice of a topology on this rank, before the decomposition.
Slice slice_of(const comm::Communicator& comm, const Topology& topology) {
  Slice slice{.n_items = {topology.n_cells()}, .cells_on_cell = {}, .on_cell = {}};
  const auto cells = slice.blocks(comm);
  const auto first = cells.first(comm.rank()), end = cells.first(comm.rank() + 1);
  slice.cells_on_cell = block_of(topology.cells_on_cell, first, end);
  for (const auto& shared : topology.shared) {
    slice.n_items.push_back(shared.cells_on.size());
    slice.on_cell.push_back(block_of(shared.on_cell, first, end));
  }
  return slice;
}

void check_same(const Decomposition& found, const Decomposition& expected) {
  CHECK(found.n_inner == expected.n_inner);
  REQUIRE(found.index_maps.size() == expected.index_maps.size());
  for (std::size_t kind = 0; kind < found.index_maps.size(); ++kind) {
    CAPTURE(kind);
    CHECK(found.index_maps[kind].to_global == expected.index_maps[kind].to_global);
    CHECK(found.index_maps[kind].n_owned == expected.index_maps[kind].n_owned);
    CHECK(found.index_maps[kind].layer_offsets == expected.index_maps[kind].layer_offsets);
  }
  REQUIRE(found.neighbours.size() == expected.neighbours.size());
  for (std::size_t i = 0; i < found.neighbours.size(); ++i) {
    const auto &neighbour = found.neighbours[i], &reference = expected.neighbours[i];
    CHECK(neighbour.rank == reference.rank);
    for (std::size_t kind = 0; kind < neighbour.items.size(); ++kind) {
      const auto &items = neighbour.items[kind], &expected_items = reference.items[kind];
      CHECK(items.send.positions == expected_items.send.positions);
      CHECK(items.send.layer_ends == expected_items.send.layer_ends);
      CHECK(items.receive.positions == expected_items.receive.positions);
      CHECK(items.receive.layer_ends == expected_items.receive.layer_ends);
    }
  }
}

/// Checks that a decomposition from one slice per rank equals that of the whole topology.
void check_slices(const Topology& topology, const std::vector<Rank>& owners) {
  const comm::Communicator comm(world());
  const auto slice = slice_of(comm, topology);
  const auto cells = slice.blocks(comm);
  const std::vector<Rank> mine(owners.begin() + cells.first(comm.rank()),
                               owners.begin() + cells.first(comm.rank() + 1));
  for (const int n_layers : {1, 2, 3}) {
    CAPTURE(n_layers);
    check_same(decompose(comm, slice, mine, n_layers), decompose(topology, owners, comm.rank(), n_layers));
  }
}

}  // namespace

TEST_CASE("decomposition: from slices comes the same part as from the whole") {
  const auto grid = longitude_latitude(24, 11);
  check_slices(grid, owners_of(grid, world_size()));
  const auto sphere = topology_of(mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::icosahedron()))));
  check_slices(sphere, owners_of(sphere, world_size()));
}

TEST_CASE("decomposition: from slices, of parts in many pieces and of a rank without cells") {
  const auto grid = longitude_latitude(24, 11);
  std::vector<Rank> owners(grid.n_cells());
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = static_cast<Rank>(i * 7 % 13) % world_size();
  check_slices(grid, owners);
  for (auto& owner : owners) owner = std::max(owner - 1, 0);
  check_slices(grid, owners);
}

TEST_CASE("decomposition: slices are cut by METIS as the whole is") {
  const comm::Communicator comm(world());
  const auto grid = longitude_latitude(24, 11);
  const auto slice = slice_of(comm, grid);
  const auto owners = owners_of(grid, comm.size());
  const auto expected = owners.begin() + slice.blocks(comm).first(comm.rank());
  const auto mine = partition(comm, slice);
  CHECK(std::equal(mine.begin(), mine.end(), expected));
}

TEST_CASE("decomposition: every item of a block has its holder") {
  for (const GlobalIndex n : {1, 5, 12, 97}) {
    for (const Rank n_ranks : {1, 3, 7, 12}) {
      const BlockDistribution blocks{n, n_ranks};
      for (GlobalIndex i = 0; i < n; ++i) {
        const auto rank = blocks.holder(i);
        CHECK(blocks.first(rank) <= i);
        CHECK(i < blocks.first(rank + 1));
      }
    }
  }
}

TEST_CASE("decomposition: all ranks learn of a wrong slice") {
  const comm::Communicator comm(world());
  auto slice = slice_of(comm, longitude_latitude(24, 11));
  const std::vector<Rank> owners(slice.cells_on_cell.size(), 0);
  CHECK_THROWS_WITH_AS(decompose(comm, slice, owners, 0), "A halo needs at least 1 layer, not 0.",
                       ConfigError);
  auto wrong_owners = owners;
  if (comm.rank() == comm.size() - 1) wrong_owners.back() = comm.size();
  const auto text = "Cell 263 is owned by rank " + std::to_string(comm.size()) + ", but the ranks are 0.." +
                    std::to_string(comm.size() - 1) + ".";
  CHECK_THROWS_WITH_AS(decompose(comm, slice, wrong_owners, 1), text.c_str(), InputError);
  if (comm.rank() == 0) slice.on_cell[1].values[0] = 1000;
  CHECK_THROWS_WITH_AS(decompose(comm, slice, owners, 1),
                       "Cell 0 has vertex 1000, but the numbers are 0..287. Make the mesh again.",
                       InputError);
}
