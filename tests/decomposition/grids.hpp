#pragma once

#include <vector>

#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/graph/partition.hpp"

namespace halcyon::test {

/// A longitude-latitude grid, periodic in longitude, with its edges and vertices: not a Voronoi mesh.
inline decomposition::Topology longitude_latitude(LocalIndex n_longitudes, LocalIndex n_latitudes) {
  decomposition::Topology topology;
  decomposition::Lists edges, vertices;
  const auto cell_at = [=](LocalIndex i, LocalIndex j) {
    return j * n_longitudes + (i + n_longitudes) % n_longitudes;
  };
  const auto n_cells = n_longitudes * n_latitudes;
  for (LocalIndex j = 0; j < n_latitudes; ++j) {
    for (LocalIndex i = 0; i < n_longitudes; ++i) {
      auto& neighbours = topology.cells_on_cell;
      neighbours.values.push_back(cell_at(i + 1, j));
      if (j + 1 < n_latitudes) neighbours.values.push_back(cell_at(i, j + 1));
      neighbours.values.push_back(cell_at(i - 1, j));
      if (j > 0) neighbours.values.push_back(cell_at(i, j - 1));
      neighbours.offsets.push_back(static_cast<LocalIndex>(neighbours.values.size()));
      // West edges come first, then south edges; row n_latitudes closes the grid in the north.
      for (const auto edge :
           {cell_at(i + 1, j), n_cells + cell_at(i, j + 1), cell_at(i, j), n_cells + cell_at(i, j)}) {
        edges.values.push_back(edge);
      }
      edges.offsets.push_back(static_cast<LocalIndex>(edges.values.size()));
      for (const auto vertex : {cell_at(i + 1, j), cell_at(i + 1, j + 1), cell_at(i, j + 1), cell_at(i, j)}) {
        vertices.values.push_back(vertex);
      }
      vertices.offsets.push_back(static_cast<LocalIndex>(vertices.values.size()));
    }
  }
  topology.shared.push_back(decomposition::shared_entities(std::move(edges), 2 * n_cells + n_longitudes));
  topology.shared.push_back(decomposition::shared_entities(std::move(vertices), n_cells + n_longitudes));
  return topology;
}

/// The owner of each cell of a topology that METIS partitions.
inline std::vector<Rank> owners_of(const decomposition::Topology& topology, int n_parts) {
  const auto adjacency = graph::make_adjacency(topology.cells_on_cell.offsets, topology.cells_on_cell.values);
  return graph::partition(adjacency, n_parts);
}

/// The decompositions of all ranks.
inline std::vector<decomposition::Decomposition> decompose_all(const decomposition::Topology& topology,
                                                               Rank n_ranks, int n_layers) {
  const auto owners = owners_of(topology, n_ranks);
  std::vector<decomposition::Decomposition> all;
  for (Rank rank = 0; rank < n_ranks; ++rank) all.push_back(decompose(topology, owners, rank, n_layers));
  return all;
}

}  // namespace halcyon::test
