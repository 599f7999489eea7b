#include "halcyon/atmosphere/patch.hpp"

#include <algorithm>

#include "halcyon/graph/partition.hpp"

namespace halcyon::atmosphere {

namespace {

using decomposition::LocalMesh;

/// The rank's cells by patch; those of other ranks are none's.
std::vector<Rank> owners_of(const LocalMesh& rank, int n_patches) {
  const auto& mesh = rank.mesh;
  const auto n = rank.part.cells().n_owned;
  auto beside = mesh.cells_on_cell;
  std::ranges::replace_if(beside, [&](LocalIndex cell) { return cell >= n; }, kNone);
  beside.resize(mesh.cell_offsets[n]);
  auto owners =
      graph::partition(graph::make_adjacency(std::span(mesh.cell_offsets).first(n + 1), beside), n_patches);
  owners.resize(mesh.n_cells(), n_patches);
  return owners;
}

std::vector<LocalIndex> places_of(const decomposition::Share& share) {
  std::vector<LocalIndex> places;
  for (const auto place : share.to_global) places.push_back(static_cast<LocalIndex>(place));
  return places;
}

/// Which of these the rank owns.
Flags owned(const std::vector<LocalIndex>& places, LocalIndex n_owned) {
  Flags flags;
  for (const auto place : places) flags.push_back(place < n_owned);
  return flags;
}

template <class Real>
LocalIndex n_early(const Patch<Real>& patch) {
  LocalIndex n = 0;
  for (const auto [begin, end] : patch.sweeps.momentum.early) n += end - begin;
  return n;
}

}  // namespace

template <class Real>
Patch<Real>::Patch(const LocalMesh& local, const decomposition::Decomposition& rank, const Planet& planet,
                   const Scheme& scheme, int n_levels)
    : n_cells(local.part.cells().n_owned),
      cells(places_of(local.part.shares[0])),
      edges(places_of(local.part.shares[1])),
      vertices(places_of(local.part.shares[2])),
      mesh(local, planet),
      energy(mesh, scheme.vertex_energy),
      curvature(mesh, local.mesh.cell_points, scheme),
      sweeps(local, owned(cells, rank.shares[0].n_owned), owned(edges, rank.shares[1].n_owned)) {
  if (scheme.dissipates()) dissipation.emplace(mesh, scheme, n_levels);
}

template <class Real>
std::int64_t Patch<Real>::memory_bytes() const {
  return mesh.memory_bytes() + curvature.memory_bytes() + (dissipation ? dissipation->memory_bytes() : 0);
}

template <class Real>
std::vector<Patch<Real>> patches(const LocalMesh& rank, const Planet& planet, const Scheme& scheme,
                                 int n_levels, LocalIndex n_cells) {
  const auto n_patches = std::max(1, (rank.part.cells().n_owned + n_cells / 2) / n_cells);
  const auto owners = owners_of(rank, n_patches);
  const auto topology = decomposition::topology_of(rank.mesh);
  std::vector<Patch<Real>> found;
  for (int p = 0; p < n_patches; ++p)
    found.emplace_back(
        decomposition::local_mesh(rank.mesh, decomposition::decompose(topology, owners, p, kHaloLayers)),
        rank.part, planet, scheme, n_levels);
  const auto rim = std::ranges::partition(found, &Patch<Real>::is_inner);
  if (!rim.empty()) std::iter_swap(rim.begin(), std::ranges::max_element(rim, {}, n_early<Real>));
  return found;
}

template struct Patch<double>;
template struct Patch<float>;
template std::vector<Patch<double>> patches(const LocalMesh&, const Planet&, const Scheme&, int, LocalIndex);
template std::vector<Patch<float>> patches(const LocalMesh&, const Planet&, const Scheme&, int, LocalIndex);

}  // namespace halcyon::atmosphere
