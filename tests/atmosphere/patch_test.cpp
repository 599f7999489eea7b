#include "halcyon/atmosphere/patch.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/mesh/triangulation.hpp"
#include "halcyon/mesh/voronoi.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::atmosphere;

namespace {

const mesh::Mesh& globe() {
  static const auto found =
      mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::bisected(mesh::icosahedron()))));
  return found;
}

/// One rank of some that have strips of the globe.
decomposition::LocalMesh part(int n_ranks, Rank rank) {
  std::vector<Rank> owners;
  for (const auto point : globe().cell_points)
    owners.push_back(std::min(n_ranks - 1, static_cast<Rank>((point.z + 1) / 2 * n_ranks)));
  return decomposition::local_mesh(globe(), owners, rank, kHaloLayers);
}

std::vector<Patch<double>> patches_of(const decomposition::LocalMesh& local, LocalIndex n_cells) {
  return patches<double>(local, Planet{}, Scheme{}, 1, n_cells);
}

LocalIndex count(const Runs& runs) {
  LocalIndex n = 0;
  for (const auto [begin, end] : runs) n += end - begin;
  return n;
}

}  // namespace

TEST_CASE("patches advance each cell and edge of a rank once, and read what the rank has") {
  for (const Rank rank : {0, 1, 2}) {
    const auto local = part(3, rank);
    const auto &cells = local.part.shares[0], &edges = local.part.shares[1];
    std::vector<int> advanced_cells(cells.n_owned), advanced_edges(edges.n_owned);
    const auto found = patches_of(local, 50);
    CHECK(found.size() == static_cast<std::size_t>((cells.n_owned + 25) / 50));
    for (const auto& patch : found) {
      for (LocalIndex i = 0; i < patch.n_cells; ++i) ++advanced_cells.at(patch.cells[i]);
      for (const auto [begin, end] : patch.sweeps.winds)
        for (auto e = begin; e < end; ++e) ++advanced_edges.at(patch.edges[e]);
      CHECK(std::ranges::max(patch.cells) < cells.size());
      CHECK(std::ranges::max(patch.edges) < edges.size());
    }
    CHECK(std::ranges::count(advanced_cells, 1) == cells.n_owned);
    CHECK(std::ranges::count(advanced_edges, 1) == edges.n_owned);
  }
}

TEST_CASE("an early sweep of a patch reads nothing of other ranks, and the first patch has most of it") {
  const auto local = part(3, 1);
  const auto n_own = local.part.shares[1].n_owned;
  const auto found = patches_of(local, 50);
  for (const auto& patch : found) {
    CHECK(count(patch.sweeps.momentum.early) <= count(found.front().sweeps.momentum.early));
    for (const auto [begin, end] : patch.sweeps.fluxes.early)
      for (auto e = begin; e < end; ++e)
        for (auto j = patch.mesh.edge_offsets[2 * e]; j < patch.mesh.edge_offsets[2 * e + 2]; ++j)
          CHECK(patch.edges[patch.mesh.edges_on_edge[j]] < n_own);
  }
  CHECK(count(found.front().sweeps.momentum.early) > 0);
}

TEST_CASE("nothing is late in the patches of a rank that has the whole globe") {
  for (const auto& patch : patches_of(part(1, 0), 100))
    for (const auto* sweep :
         {&patch.sweeps.vertices, &patch.sweeps.fluxes, &patch.sweeps.bends, &patch.sweeps.carried,
          &patch.sweeps.columns, &patch.sweeps.rim, &patch.sweeps.momentum, &patch.sweeps.dissipation})
      CHECK(sweep->late.empty());
}

TEST_CASE("operators of a patch have the bits of the rank's") {
  const auto local = part(1, 0);
  const Horizontal<double> whole(local, Planet{});
  std::vector<double> u(whole.n_edges());
  std::ranges::generate(u, [n = 0]() mutable { return 1 / (1.5 + n++); });
  for (const auto& patch : patches_of(local, 100)) {
    std::vector<double> of_patch(patch.edges.size());
    take<double>(Runs{{0, patch.mesh.n_edges()}}, patch.edges, 1, u, of_patch);
    const Block<double, 1> rows(1, 0);
    for (const auto [begin, end] : patch.sweeps.winds)
      for (auto e = begin; e < end; ++e)
        CHECK(tangential(patch.mesh, rows(of_patch), e) == tangential(whole, rows(u), patch.edges[e]));
    for (LocalIndex i = 0; i < patch.n_cells; ++i)
      CHECK(divergence(patch.mesh, rows(of_patch), i) == divergence(whole, rows(u), patch.cells[i]));
    std::vector<double> back(u.size());
    give<double>(patch.sweeps.winds, patch.edges, 1, of_patch, back);
    for (const auto [begin, end] : patch.sweeps.winds)
      for (auto e = begin; e < end; ++e) CHECK(back[patch.edges[e]] == u[patch.edges[e]]);
  }
}
