#include "halcyon/bench/stencil_lists.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::bench {
namespace {

/// The edges on the first cells come first, since edges are numbered as cells touch them.
Counts counts_of(const mesh::Mesh& mesh, LocalIndex n_cells) {
  require<InputError>(n_cells >= 1 && n_cells <= mesh.n_cells(),
                      "The stencil is asked for {} cells, but the mesh has {}.", n_cells, mesh.n_cells());
  const auto on_cells = std::span(mesh.edges_on_cell).first(mesh.cell_offsets[n_cells]);
  return {n_cells, 1 + *std::ranges::max_element(on_cells), mesh.n_cells(), mesh.n_edges()};
}

/// Where the old edges go; what is not computed stays behind the others.
std::vector<LocalIndex> places_of(std::span<const LocalIndex> order, const Counts& counts) {
  std::vector<LocalIndex> places(counts.all_edges);
  std::iota(places.begin(), places.end(), 0);
  if (order.empty()) return places;
  require<InputError>(std::ssize(order) == counts.edges,
                      "{} edges are put in order, but the stencil works on {}.", order.size(), counts.edges);
  std::fill_n(places.begin(), counts.edges, kNone);
  for (LocalIndex e = 0; e < counts.edges; ++e) {
    require<InputError>(order[e] >= 0 && order[e] < counts.edges && places[order[e]] == kNone,
                        "Edge {} comes twice, or is none of the {} that the stencil works on.", order[e],
                        counts.edges);
    places[order[e]] = e;
  }
  return places;
}

void require_whole(const mesh::Mesh& mesh, LocalIndex edge) {
  const auto near =
      std::span(mesh.edges_on_edge)
          .subspan(mesh.edge_offsets[edge], mesh.edge_offsets[edge + 1] - mesh.edge_offsets[edge]);
  require<InputError>(mesh.cells_on_edge[edge][1] != kNone && std::ranges::find(near, kNone) == near.end(),
                      "The mesh has an outer boundary at edge {}, but the stencil needs both sides. Take all "
                      "of the sphere, or "
                      "a layer of cells more than are computed.",
                      edge);
}

}  // namespace

FlatLists::FlatLists(const mesh::Mesh& mesh, LocalIndex n_cells, std::span<const LocalIndex> edges)
    : counts_(counts_of(mesh, n_cells)) {
  const auto places = places_of(edges, counts_);
  list_cells(mesh, places);
  for (LocalIndex e = 0; e < counts_.edges; ++e) list_edge(mesh, edges.empty() ? e : edges[e], places);
}

void FlatLists::list_cells(const mesh::Mesh& mesh, std::span<const LocalIndex> edge_places) {
  for (LocalIndex cell = 0; cell < counts_.cells; ++cell) {
    for (LocalIndex at = mesh.cell_offsets[cell]; at < mesh.cell_offsets[cell + 1]; ++at) {
      const LocalIndex edge = mesh.edges_on_cell[at];
      const double outward = mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
      edges_on_cell_.push_back(edge_places[edge]);
      lengths_.push_back(outward * mesh.dv_edge[edge] / mesh.area_cell[cell]);
    }
    cell_offsets_.push_back(static_cast<LocalIndex>(edges_on_cell_.size()));
  }
}

void FlatLists::list_edge(const mesh::Mesh& mesh, LocalIndex edge, std::span<const LocalIndex> edge_places) {
  require_whole(mesh, edge);
  for (LocalIndex at = mesh.edge_offsets[edge]; at < mesh.edge_offsets[edge + 1]; ++at) {
    edges_on_edge_.push_back(edge_places[mesh.edges_on_edge[at]]);
    weights_.push_back(mesh.weights_on_edge[at]);
  }
  edge_offsets_.push_back(static_cast<LocalIndex>(edges_on_edge_.size()));
  cells_on_edge_.push_back(mesh.cells_on_edge[edge]);
  over_distance_.push_back(1 / mesh.dc_edge[edge]);
}

Structures::Structures(const FlatLists& lists) : counts_(lists.counts()) {
  for (LocalIndex cell = 0; cell < counts_.cells; ++cell) cells_.emplace_back(lists.divergence(cell));
  for (LocalIndex edge = 0; edge < counts_.edges; ++edge)
    edges_.push_back({lists.sides(edge), Lists(lists.tangent(edge))});
}

}  // namespace halcyon::bench
