#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/decomposition/decomposition.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::decomposition {

/// One rank's part of a mesh: its cells, edges and vertices in their local numbering, with the halo. Lists
/// hold local numbers; kNone stands for what is neither owned nor in the halo, wherever it stands in a list.
struct LocalMesh {
  Decomposition part;
  mesh::Mesh mesh;
  std::vector<GlobalIndex> n_items;  ///< cells, edges and vertices of the whole mesh
  LocalIndex most_edges = 0;         ///< of a cell of the whole mesh
};

/// The part of a mesh that this process has whole.
LocalMesh local_mesh(const mesh::Mesh& whole, std::span<const Rank> owners, Rank rank, int n_layers);

/// A part of it that is known already, and, if it is, how many edges a cell of the whole mesh has at most.
LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part);
LocalMesh local_mesh(const mesh::Mesh& whole, Decomposition part, LocalIndex most_edges);

/// Of the places, sizes and depths of the owned cells, the lengths of their edges and what lies beside what.
/// The sum over ranks, modulo 2^64, is that of the whole mesh, however it is decomposed.
std::uint64_t checksum(const LocalMesh& local);

/// The most edges that a cell of these has.
LocalIndex most_edges(const mesh::Mesh& mesh);

/// Puts local numbers for the numbers of the whole mesh in the lists of the rows of a part.
void renumber(mesh::Mesh& rows, const Decomposition& part);

}  // namespace halcyon::decomposition
