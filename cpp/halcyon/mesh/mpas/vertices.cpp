#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/mpas/check.hpp"

namespace halcyon::mesh {
namespace {

/// The cells beside an edge seen from its end outward, which its tangent k x n leaves on the left.
struct Sides {
  LocalIndex right, left;
};

Sides sides(const Mesh& m, LocalIndex edge, int end) {
  const auto [first, second] = m.cells_on_edge[edge];
  return end == 0 ? Sides{second, first} : Sides{first, second};
}

/// Where `cells` has `right` and, after it, `left`; 3 if nowhere.
int place_of(const std::array<LocalIndex, 3>& cells, LocalIndex right, LocalIndex left) {
  int j = 0;
  while (j < 3 && (cells[j] != right || cells[(j + 1) % 3] != left)) ++j;
  return j;
}

/// Turns the cells of vertices, with their kites, that run clockwise.
void turn_cells(Mesh& m) {
  std::vector<std::int8_t> turns(m.vertex_points.size(), 0);
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto [right, left] = sides(m, e, end);
      turns[v] += place_of(m.cells_on_vertex[v], right, left) < 3;
      turns[v] -= place_of(m.cells_on_vertex[v], left, right) < 3;
    }
  }
  for (LocalIndex v = 0; v < m.n_vertices(); ++v) {
    if (turns[v] >= 0) continue;
    std::swap(m.cells_on_vertex[v][1], m.cells_on_vertex[v][2]);
    std::swap(m.kite_areas_on_vertex[v][1], m.kite_areas_on_vertex[v][2]);
  }
}

/// The edges of each vertex, edge j between its cells j and j + 1.
std::vector<std::array<LocalIndex, 3>> place_edges(const Mesh& m, const std::string& path) {
  std::vector<std::array<LocalIndex, 3>> placed(m.vertex_points.size(), {kNone, kNone, kNone});
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto& cells = m.cells_on_vertex[v];
      const auto [right, left] = sides(m, e, end);
      const int j = place_of(cells, right, left);
      require<InputError>(
          j < 3 && placed[v][j] == kNone,
          "{}: cellsOnVertex of vertex {} are {}, {} and {}, but its edge {} has cells {} and {} "
          "beside it. Make the mesh again.",
          path, v + 1, cells[0] + 1, cells[1] + 1, cells[2] + 1, e + 1, right + 1, left + 1);
      placed[v][j] = e;
    }
  }
  return placed;
}

/// Between two cells of a vertex, or a cell and nothing, lies an edge.
void check_complete(const Mesh& m, const std::string& path, LocalIndex v,
                    const std::array<LocalIndex, 3>& edges) {
  const auto& cells = m.cells_on_vertex[v];
  for (int j = 0; j < 3; ++j) {
    const LocalIndex cell = std::max(cells[j], cells[(j + 1) % 3]);
    require<InputError>(edges[j] != kNone || cell == kNone,
                        "{}: cellsOnVertex of vertex {} names cell {}, but no edge of that cell ends there. "
                        "Make the mesh again.",
                        path, v + 1, cell + 1);
  }
  require<InputError>(std::ranges::is_permutation(edges, m.edges_on_vertex[v]),
                      "{}: edgesOnVertex of vertex {} (cell {}) are not the edges whose verticesOnEdge name "
                      "it. Make the mesh "
                      "again.",
                      path, v + 1, std::ranges::max(cells) + 1);
}

}  // namespace

void settle_vertices(Mesh& mesh, const std::string& path) {
  turn_cells(mesh);
  auto placed = place_edges(mesh, path);
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) check_complete(mesh, path, v, placed[v]);
  mesh.edges_on_vertex = std::move(placed);
}

}  // namespace halcyon::mesh
