#include "halcyon/bench/hashed_edges.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

namespace halcyon::bench {
namespace {

/// Mixes the vertices of an edge (Steele, Lea and Flood 2014, SplitMix64).
struct HashOfVertices {
  const mesh::Mesh* mesh;

  std::size_t operator()(LocalIndex edge) const {
    const auto [low, high] = std::minmax(mesh->vertices_on_edge[edge][0], mesh->vertices_on_edge[edge][1]);
    std::uint64_t x = (static_cast<std::uint64_t>(low) << 32) + static_cast<std::uint64_t>(high);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

}  // namespace

std::vector<LocalIndex> hashed_edges(const mesh::Mesh& mesh, LocalIndex n_cells) {
  std::unordered_set<LocalIndex, HashOfVertices> edges(0, HashOfVertices{&mesh});
  for (LocalIndex at = 0; at < mesh.cell_offsets[n_cells]; ++at) edges.insert(mesh.edges_on_cell[at]);
  return {edges.begin(), edges.end()};
}

}  // namespace halcyon::bench
