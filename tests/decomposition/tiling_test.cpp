#include "halcyon/decomposition/tiling.hpp"

#include <algorithm>
#include <numeric>

#include "decomposition/grids.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::decomposition;

namespace {

/// The local mesh of a rank that owns the northern hemisphere, with two halo layers.
LocalMesh northern_half() {
  const auto global_mesh =
      mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::bisected(mesh::icosahedron()))));
  std::vector<Rank> owners;
  for (const auto point : global_mesh.cell_points) owners.push_back(point.z < 0 ? 0 : 1);
  return local_mesh(global_mesh, owners, 1, 2);
}

}  // namespace

TEST_CASE("decomposition: what surrounds known cells is the part of their rank" * test::in_process()) {
  // decompose_cells, which is given the owned cells only, agrees with the decomposition of all cells.
  const auto topology = test::longitude_latitude(24, 12);
  std::vector<Rank> owners(topology.n_cells());
  for (LocalIndex cell = 0; cell < topology.n_cells(); ++cell) owners[cell] = cell % 24 / 6;
  for (const Rank rank : {0, 1, 2, 3}) {
    std::vector<LocalIndex> cells;
    for (LocalIndex cell = 0; cell < topology.n_cells(); ++cell)
      if (owners[cell] == rank) cells.push_back(cell);
    const auto whole = decompose(topology, owners, rank, 2),
               of_cells = decompose_cells(topology, owners, cells, 2);
    CHECK(of_cells.n_inner == whole.n_inner);
    for (std::size_t kind = 0; kind < 3; ++kind) {
      CHECK(of_cells.index_maps[kind].to_global == whole.index_maps[kind].to_global);
      CHECK(of_cells.index_maps[kind].n_owned == whole.index_maps[kind].n_owned);
      CHECK(of_cells.index_maps[kind].layer_offsets == whole.index_maps[kind].layer_offsets);
    }
    CHECK(of_cells.neighbours.empty());
  }
}

TEST_CASE("decomposition: tiles have each owned cell of a rank once, and read what it has" *
          test::in_process()) {
  const auto rank = northern_half();
  const Tiling tiling(rank, 50, 2);
  CHECK(tiling.n_tiles() == (rank.part.cells().n_owned + 25) / 50);
  std::vector<int> seen(rank.part.cells().n_owned);
  for (int number = 0; number < tiling.n_tiles(); ++number) {
    const auto tile = tiling.tile(number);
    const auto &cells = tile.part.cells(), &edges = tile.part.index_maps[1];
    const auto in_rank = parent_indices(cells), edges_in_rank = parent_indices(edges);
    for (LocalIndex i = 0; i < cells.n_owned; ++i) ++seen.at(in_rank[i]);
    CHECK(std::ranges::max(in_rank) < rank.part.cells().size());
    CHECK(tile.most_edges == rank.most_edges);
    for (LocalIndex e = 0; e < edges.n_owned; ++e)
      CHECK(tile.mesh.dc_edge[e] == rank.mesh.dc_edge[edges_in_rank[e]]);
  }
  CHECK(std::ranges::count(seen, 1) == std::ssize(seen));
}

TEST_CASE("decomposition: columns that a tile takes and gives back are where they were" *
          test::in_process()) {
  // Columns of 3 levels; only the owned columns of the tile are scattered.
  const auto rank = northern_half();
  const auto tile = Tiling(rank, 100, 2).tile(0);
  const auto& cells = tile.part.cells();
  const auto in_rank = parent_indices(cells);
  std::vector<double> field(3 * rank.part.cells().size()), scattered(field.size()),
      of_tile(3 * in_rank.size());
  std::iota(field.begin(), field.end(), 1.0);
  gather_columns<double>(IndexRanges{{0, cells.size()}}, in_rank, 3, field, of_tile);
  CHECK(of_tile[3] == field[3 * in_rank[1]]);
  scatter_columns<double>(IndexRanges{{0, cells.n_owned}}, in_rank, 3, of_tile, scattered);
  for (LocalIndex i = 0; i < rank.part.cells().size(); ++i) {
    const bool is_in_tile =
        std::find(in_rank.begin(), in_rank.begin() + cells.n_owned, i) != in_rank.begin() + cells.n_owned;
    for (int k = 0; k < 3; ++k) CHECK(scattered[3 * i + k] == (is_in_tile ? field[3 * i + k] : 0));
  }
}

TEST_CASE("decomposition: a sweep is early where all that it needs is" * test::in_process()) {
  // Edge 1 reads inner cells only; edges 2 and 3 read cell 3, a boundary cell.
  const std::vector<std::array<LocalIndex, 2>> cells_on_edge{{0, 1}, {1, 2}, {2, 3}, {3, kNone}};
  const Flags inner_cells{1, 1, 1, 0}, inner_edges{1, 1, 1, 1};
  Sweep sweep;
  const Flags requested{0, 1, 1, 1};
  const auto inner = split(sweep, requested, {{cells_on_edge, inner_cells}, {{}, inner_edges}});
  CHECK(inner == Flags{0, 1, 0, 0});
  REQUIRE(sweep.inner.size() == 1);
  CHECK(sweep.inner[0].begin == 1);
  CHECK(sweep.inner[0].end == 2);
  REQUIRE(sweep.boundary.size() == 1);
  CHECK(sweep.boundary[0].begin == 2);
  CHECK(sweep.boundary[0].end == 4);
}
