#include "halcyon/atmosphere/tile.hpp"

#include <algorithm>

#include "halcyon/decomposition/tiling.hpp"

namespace halcyon::atmosphere {

using decomposition::LocalMesh, decomposition::places;

namespace {

/// Which of these the rank owns.
Flags owned(const std::vector<LocalIndex>& places, LocalIndex n_owned) {
  Flags flags;
  for (const auto place : places) flags.push_back(place < n_owned);
  return flags;
}

template <class Real>
LocalIndex n_early(const Tile<Real>& tile) {
  LocalIndex n = 0;
  for (const auto [begin, end] : tile.sweeps.momentum.early) n += end - begin;
  return n;
}

}  // namespace

template <class Real>
Tile<Real>::Tile(const LocalMesh& local, const decomposition::Decomposition& rank, double radius,
                 const Scheme& scheme)
    : n_cells(local.part.cells().n_owned),
      cells(places(local.part.shares[0])),
      edges(places(local.part.shares[1])),
      vertices(places(local.part.shares[2])),
      mesh(local, radius),
      energy(mesh, scheme.vertex_energy),
      curvature(mesh, local.mesh.cell_points, scheme.transport_order, scheme.upwinding),
      sweeps(local, owned(cells, rank.shares[0].n_owned), owned(edges, rank.shares[1].n_owned)) {}

template <class Real>
std::vector<Tile<Real>> tiles(const LocalMesh& rank, double radius, const Scheme& scheme,
                              LocalIndex n_cells) {
  const decomposition::Tiling tiling(rank, n_cells, kHaloLayers);
  std::vector<Tile<Real>> found;
  for (int number = 0; number < tiling.n_tiles(); ++number)
    found.emplace_back(tiling.tile(number), rank.part, radius, scheme);
  const auto rim = std::ranges::partition(found, &Tile<Real>::is_inner);
  if (!rim.empty()) std::iter_swap(rim.begin(), std::ranges::max_element(rim, {}, n_early<Real>));
  return found;
}

template struct Tile<double>;
template struct Tile<float>;
template std::vector<Tile<double>> tiles(const LocalMesh&, double, const Scheme&, LocalIndex);
template std::vector<Tile<float>> tiles(const LocalMesh&, double, const Scheme&, LocalIndex);

}  // namespace halcyon::atmosphere
