#include "halcyon/atmosphere/sweeps.hpp"

#include <algorithm>

#include "halcyon/decomposition/tiling.hpp"

namespace halcyon::atmosphere {

using namespace decomposition;

// Arguments of `split`: a sweep, flags of its items and, for each field that the sweep reads, the items that
// an item reads, and flags of the field's inner items. An item is inner if it reads only inner items.
Sweeps::Sweeps(const LocalMesh& local, const Flags& mass, const Flags& wind, bool is_dissipated) {
  const IndexMap &cell_map = local.part.index_maps[kCells], &edge_map = local.part.index_maps[kEdges];
  const auto& m = local.mesh;
  const AdjacencyView itself, cells_on_edge(m.cells_on_edge), vertices_on_edge(m.vertices_on_edge),
      edges_on_edge(m.edge_offsets, m.edges_on_edge), cells_on_cell(m.cell_offsets, m.cells_on_cell),
      edges_on_cell(m.cell_offsets, m.edges_on_cell), cells_on_vertex(m.cells_on_vertex),
      edges_on_vertex(m.edges_on_vertex);
  const auto vorticity_edges = operators::vorticity_edges(m);
  const Flags owned_cells = owned(cell_map);
  Flags owned_edges = owned(edge_map), halo_cells = owned_and_halo(cell_map);
  for (LocalIndex e = 0; e < edge_map.n_owned; ++e) owned_edges[e] = wind[e];
  std::fill_n(halo_cells.begin(), cell_map.n_owned, std::uint8_t{0});
  winds = ranges_of(owned_edges);

  split(cells, Flags(mass.size(), 1), {{itself, mass}});
  split(edges, Flags(wind.size(), 1), {{itself, wind}});
  const Flags vorticity = split(vertices, owned_and_halo(local.part.index_maps[kVertices]),
                                {{cells_on_vertex, mass}, {AdjacencyView(vorticity_edges), wind}});
  const Flags flux =
      split(fluxes, owned_and_halo(edge_map),
            {{cells_on_edge, mass}, {itself, wind}, {edges_on_edge, wind}, {vertices_on_edge, vorticity}});
  const Flags divergence = split(divergences, owned_and_halo(cell_map, kHaloLayers), {{edges_on_cell, wind}});
  const Flags divergence_laplacian = split(divergence_laplacians, owned_and_halo(cell_map),
                                           {{itself, divergence}, {cells_on_cell, divergence}});
  Sweep gradients;  // the vorticity on both sides of an edge
  const Flags vorticity_gradient = split(gradients, Flags(wind.size(), 1), {{vertices_on_edge, vorticity}});
  const Flags vorticity_laplacian = split(vorticity_laplacians, vertices_of_cells(m, cell_map.n_owned),
                                          {{edges_on_vertex, vorticity_gradient}});
  const Flags dissipated =
      split(dissipation, edges_of_cells(m, cell_map.n_owned),
            {{itself, wind}, {cells_on_edge, divergence_laplacian}, {vertices_on_edge, vorticity_laplacian}});
  const Flags heated = split(heating, owned_cells, {{edges_on_cell, dissipated}}), all_cells(mass.size(), 1),
              all_edges(wind.size(), 1);

  const Flags derivatives =
      split(second_derivatives, owned_and_halo(cell_map), {{itself, mass}, {cells_on_cell, mass}});
  const Flags edge_values = split(advected_fluxes, edges_of_cells(m, cell_map.n_owned),
                                  {{itself, flux}, {cells_on_edge, derivatives}});
  const Flags halo_inner = split(halo_columns, halo_cells, {{itself, mass}, {edges_on_cell, flux}});
  Flags energy =
      split(columns, owned_cells,
            {{itself, mass}, {edges_on_cell, edge_values}, {itself, is_dissipated ? heated : all_cells}});
  std::copy(halo_inner.begin() + cell_map.n_owned, halo_inner.end(), energy.begin() + cell_map.n_owned);
  split(energies, owned_and_halo(cell_map), {{itself, energy}});
  split(continuity, owned_cells, {{edges_on_cell, flux}});
  split(momentum, owned_edges,
        {{itself, flux},
         {edges_on_edge, flux},
         {cells_on_edge, energy},
         {itself, is_dissipated ? dissipated : all_edges}});
  split(transport, owned_cells, {{edges_on_cell, edge_values}});
}

namespace {

/// Flags of the items of a tile that the rank owns.
Flags owned(const std::vector<LocalIndex>& rank_indices, LocalIndex n_owned) {
  Flags flags;
  for (const auto index : rank_indices) flags.push_back(index < n_owned);
  return flags;
}

template <class Real>
LocalIndex n_inner_edges(const Tile<Real>& tile) {
  LocalIndex n = 0;
  for (const auto [begin, end] : tile.sweeps.momentum.inner) n += end - begin;
  return n;
}

}  // namespace

template <class Real>
Tile<Real>::Tile(const LocalMesh& local, const decomposition::Decomposition& rank, double radius,
                 const Scheme& scheme)
    : n_cells(local.part.cells().n_owned),
      cells(parent_indices(local.part.index_maps[kCells])),
      edges(parent_indices(local.part.index_maps[kEdges])),
      vertices(parent_indices(local.part.index_maps[kVertices])),
      mesh(local, radius),
      energy(mesh, scheme.vertex_share(), local.mesh),
      curvature(mesh, local.mesh.cell_points, local.mesh.vertex_points, scheme.transport_order,
                scheme.upwinding),
      sweeps(local, owned(cells, rank.index_maps[kCells].n_owned),
             owned(edges, rank.index_maps[kEdges].n_owned), scheme.dissipates()) {}

template <class Real>
std::vector<Tile<Real>> make_tiles(const LocalMesh& rank, double radius, const Scheme& scheme,
                                   LocalIndex n_cells) {
  const decomposition::Tiling tiling(rank, n_cells, kHaloLayers);
  std::vector<Tile<Real>> tiles;
  for (int number = 0; number < tiling.n_tiles(); ++number)
    tiles.emplace_back(tiling.tile(number), rank.part, radius, scheme);
  const auto boundary = std::ranges::partition(tiles, &Tile<Real>::is_inner);
  if (!boundary.empty())
    std::iter_swap(boundary.begin(), std::ranges::max_element(boundary, {}, n_inner_edges<Real>));
  return tiles;
}

template struct Tile<double>;
template struct Tile<float>;
template std::vector<Tile<double>> make_tiles(const LocalMesh&, double, const Scheme&, LocalIndex);
template std::vector<Tile<float>> make_tiles(const LocalMesh&, double, const Scheme&, LocalIndex);

}  // namespace halcyon::atmosphere
