#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::decomposition {

/// The part of a mesh on one rank, including its halo: cells, edges and vertices in local numbering.
/// Connectivity lists hold local indices, and kNone for entities that are neither owned nor in the halo.
struct LocalMesh {
  Decomposition part;
  mesh::Mesh mesh;                   ///< owned and halo entities
  std::vector<GlobalIndex> n_items;  ///< numbers of cells, edges and vertices of the whole mesh
  LocalIndex most_edges = 0;         ///< largest number of edges of a cell of the whole mesh
};

/// Returns the part of a rank of a mesh that this process holds completely.
LocalMesh local_mesh(const mesh::Mesh& whole, std::span<const Rank> owners, Rank rank, int n_layers);

/// Returns the part of a mesh for a given decomposition.
/// @param most_edges largest number of edges of a cell of `whole`; computed if it is not given
LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part);
LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part, LocalIndex most_edges);

/// Returns a checksum of the owned cells: positions, areas, depths, lengths of edges, and connectivity. The
/// sum over ranks, modulo 2^64, does not depend on the decomposition.
std::uint64_t checksum(const LocalMesh& local);

/// Returns the largest number of edges of a cell.
LocalIndex most_edges(const mesh::Mesh& mesh);

/// Converts the connectivity lists of a part from global to local indices.
void renumber(mesh::Mesh& local_mesh, const Decomposition& part);

}  // namespace halcyon::decomposition
