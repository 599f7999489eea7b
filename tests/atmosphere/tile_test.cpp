#include <algorithm>
#include <numeric>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/decomposition/tiling.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/operators/trisk.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::atmosphere;
using decomposition::scatter_columns, decomposition::gather_columns;

namespace {

const mesh::Mesh& globe() {
  static const auto mesh =
      mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::bisected(mesh::icosahedron()))));
  return mesh;
}

/// Returns the local mesh of a rank; ranks own zonal strips of a global mesh.
decomposition::LocalMesh zonal_strips(int n_ranks, Rank rank) {
  std::vector<Rank> owners;
  for (const auto point : globe().cell_points)
    owners.push_back(std::min(n_ranks - 1, static_cast<Rank>((point.z + 1) / 2 * n_ranks)));
  return decomposition::local_mesh(globe(), owners, rank, kHaloLayers);
}

/// Returns tiles of about n_cells owned cells.
std::vector<Tile<double>> tiles_of(const decomposition::LocalMesh& local, LocalIndex n_cells) {
  return make_tiles<double>(local, Planet{}.radius, Scheme{}, n_cells);
}

LocalIndex n_items(const IndexRanges& ranges) {
  LocalIndex n = 0;
  for (const auto [begin, end] : ranges) n += end - begin;
  return n;
}

}  // namespace

TEST_CASE("tiles advance each cell and edge of a rank once, and read what the rank has") {
  for (const Rank rank : {0, 1, 2}) {
    const auto local = zonal_strips(3, rank);
    const auto &cells = local.part.index_maps[0], &edges = local.part.index_maps[1];
    std::vector<int> advanced_cells(cells.n_owned), advanced_edges(edges.n_owned);
    const auto all_tiles = tiles_of(local, 50);
    CHECK(all_tiles.size() == static_cast<std::size_t>((cells.n_owned + 25) / 50));
    for (const auto& tile : all_tiles) {
      for (LocalIndex i = 0; i < tile.n_cells; ++i) ++advanced_cells.at(tile.cells[i]);
      for (const auto [begin, end] : tile.sweeps.winds)
        for (auto e = begin; e < end; ++e) ++advanced_edges.at(tile.edges[e]);
      CHECK(std::ranges::max(tile.cells) < cells.size());
      CHECK(std::ranges::max(tile.edges) < edges.size());
    }
    CHECK(std::ranges::count(advanced_cells, 1) == cells.n_owned);
    CHECK(std::ranges::count(advanced_edges, 1) == edges.n_owned);
  }
}

// Inner sweeps run during the halo exchange.
TEST_CASE("an early sweep of a tile reads nothing of other ranks, and the first tile has most of it") {
  const auto local = zonal_strips(3, 1);
  const auto n_owned_edges = local.part.index_maps[1].n_owned;
  const auto all_tiles = tiles_of(local, 50);
  for (const auto& tile : all_tiles) {
    CHECK(n_items(tile.sweeps.momentum.inner) <= n_items(all_tiles.front().sweeps.momentum.inner));
    for (const auto [begin, end] : tile.sweeps.fluxes.inner)
      for (auto e = begin; e < end; ++e)
        for (auto j = tile.mesh.edge_offsets[2 * e]; j < tile.mesh.edge_offsets[2 * e + 2]; ++j)
          CHECK(tile.edges[tile.mesh.edges_on_edge[j]] < n_owned_edges);
  }
  CHECK(n_items(all_tiles.front().sweeps.momentum.inner) > 0);
}

// Boundary sweeps, which wait for the halo exchange, are empty.
TEST_CASE("nothing is late in the tiles of a rank that has the whole globe") {
  for (const auto& tile : tiles_of(zonal_strips(1, 0), 100))
    for (const auto* sweep : {&tile.sweeps.vertices, &tile.sweeps.fluxes, &tile.sweeps.second_derivatives,
                              &tile.sweeps.advected_fluxes, &tile.sweeps.columns, &tile.sweeps.halo_columns,
                              &tile.sweeps.momentum, &tile.sweeps.dissipation})
      CHECK(sweep->boundary.empty());
}

// Tangential wind and divergence on tiles equal those on the whole mesh of the rank.
TEST_CASE("operators of a tile have the bits of the rank's") {
  const auto local = zonal_strips(1, 0);
  const operators::HorizontalMesh<double> whole(local, Planet{}.radius);
  std::vector<double> u(whole.n_edges());
  std::ranges::generate(u, [n = 0]() mutable { return 1 / (1.5 + n++); });
  for (const auto& tile : tiles_of(local, 100)) {
    std::vector<double> tile_values(tile.edges.size());
    gather_columns<double>(IndexRanges{{0, tile.mesh.n_edges()}}, tile.edges, 1, u, tile_values);
    const LevelBlock<double, 1> rows(1, 0);
    for (const auto [begin, end] : tile.sweeps.winds)
      for (auto e = begin; e < end; ++e)
        CHECK(tangential(tile.mesh, rows(tile_values), e) == tangential(whole, rows(u), tile.edges[e]));
    for (LocalIndex i = 0; i < tile.n_cells; ++i)
      CHECK(divergence(tile.mesh, rows(tile_values), i) == divergence(whole, rows(u), tile.cells[i]));
    std::vector<double> back(u.size());
    scatter_columns<double>(tile.sweeps.winds, tile.edges, 1, tile_values, back);
    for (const auto [begin, end] : tile.sweeps.winds)
      for (auto e = begin; e < end; ++e) CHECK(back[tile.edges[e]] == u[tile.edges[e]]);
  }
}
