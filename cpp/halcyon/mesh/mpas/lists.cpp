#include <algorithm>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/mpas/check.hpp"

namespace halcyon::mesh {

namespace {

constexpr double kFlat = 1e-6;  // [rad] tolerated inversion of an edge in single precision

/// Reverses the edges of the outer boundary whose first cell is missing.
void orient_boundary_edges(Mesh& m, const std::string& path) {
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    auto& [first, second] = m.cells_on_edge[e];
    require<InputError>(first != kNone || second != kNone,
                        "{}: cellsOnEdge of edge {} names no cell. Make the mesh again.", path, e + 1);
    if (first != kNone) continue;
    std::swap(first, second);
    std::swap(m.vertices_on_edge[e][0], m.vertices_on_edge[e][1]);
    m.angle_edge[e] += m.angle_edge[e] > 0 ? -kPi : kPi;
  }
}

/// Returns the vertex where an edge starts, counter-clockwise around `cell`.
LocalIndex start_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 0 : 1];
}

LocalIndex end_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 1 : 0];
}

/// Checks that entry i of the edges of cell c has this cell and the neighbour in entry i.
void check_neighbour(const Mesh& m, const std::string& path, LocalIndex c, LocalIndex i) {
  const LocalIndex e = m.edges_on_cell[i];
  const auto [first, second] = m.cells_on_edge[e];
  require<InputError>(
      first == c || second == c,
      "{}: edgesOnCell of cell {} names edge {}, whose cellsOnEdge are {} and {}. Make the mesh again.", path,
      c + 1, e + 1, first + 1, second + 1);
  require<InputError>(m.cells_on_cell[i] == (first == c ? second : first),
                      "{}: cellsOnCell of cell {} names cell {} across edge {}, whose cellsOnEdge are {} and "
                      "{}. Make the mesh again.",
                      path, c + 1, m.cells_on_cell[i] + 1, e + 1, first + 1, second + 1);
}

/// Checks that the edges of a cell follow each other counter-clockwise, without repetition.
void check_ring(const Mesh& m, const std::string& path, LocalIndex c) {
  const LocalIndex begin = m.cell_offsets[c], end = m.cell_offsets[c + 1];
  for (LocalIndex i = begin; i < end; ++i) check_neighbour(m, path, c, i);
  for (LocalIndex i = begin; i < end; ++i) {
    const LocalIndex e = m.edges_on_cell[i], next = m.edges_on_cell[i + 1 < end ? i + 1 : begin];
    require<InputError>(std::count(&m.edges_on_cell[begin], &m.edges_on_cell[i], e) == 0,
                        "{}: edgesOnCell of cell {} names edge {} twice. Make the mesh again.", path, c + 1,
                        e + 1);
    require<InputError>(
        end_of(m, e, c) == start_of(m, next, c),
        "{}: edgesOnCell of cell {}: edge {} does not begin where edge {} ends. Lists must run "
        "counter-clockwise, and verticesOnEdge along k x n. Make the mesh again.",
        path, c + 1, next + 1, e + 1);
  }
}

/// Orders the vertices of a cell by the edges that start there.
void sort_vertices(Mesh& m, const std::string& path, LocalIndex c, std::vector<LocalIndex>& sorted) {
  const auto begin = m.vertices_on_cell.begin() + m.cell_offsets[c];
  const auto end = m.vertices_on_cell.begin() + m.cell_offsets[c + 1];
  sorted.clear();
  for (LocalIndex i = m.cell_offsets[c]; i < m.cell_offsets[c + 1]; ++i)
    sorted.push_back(start_of(m, m.edges_on_cell[i], c));
  require<InputError>(
      std::is_permutation(begin, end, sorted.begin()),
      "{}: verticesOnCell of cell {} are not the ends of its edgesOnCell. Make the mesh again.", path, c + 1);
  std::ranges::copy(sorted, begin);
}

/// Checks that every cell of an edge lists that edge.
void check_edges_listed(const Mesh& m, const std::string& path) {
  std::vector<int> listed(m.edge_points.size(), 0);
  for (LocalIndex c = 0; c < m.n_cells(); ++c)
    for (LocalIndex i = m.cell_offsets[c]; i < m.cell_offsets[c + 1]; ++i)
      listed[m.edges_on_cell[i]] |= m.cells_on_edge[m.edges_on_cell[i]][0] == c ? 1 : 2;
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    const auto [first, second] = m.cells_on_edge[e];
    require<InputError>(listed[e] == (second == kNone ? 1 : 3),
                        "{}: cellsOnEdge of edge {} names cell {}, whose edgesOnCell do not name that edge. "
                        "Make the mesh again.",
                        path, e + 1, (listed[e] & 1 ? second : first) + 1);
  }
}

/// Checks that the tangent from vertex 1 to vertex 2 is k x n, with n from cell 1 to cell 2.
void check_tangent_direction(const Mesh& m, const std::string& path, LocalIndex e) {
  const Vector3 cell = m.cell_points[m.cells_on_edge[e][0]], edge = m.edge_points[e];
  const auto [right, left] = m.vertices_on_edge[e];
  const Vector3 along = cross(edge, edge - cell), tangent = m.vertex_points[left] - m.vertex_points[right];
  require<InputError>(dot(tangent, along) >= -kFlat * norm(along),
                      "{}: verticesOnEdge of edge {} (cell {}) run against k x n. Make the mesh again.", path,
                      e + 1, m.cells_on_edge[e][0] + 1);
}

}  // namespace

void canonicalize_cells(Mesh& mesh, const std::string& path) {
  orient_boundary_edges(mesh, path);
  std::vector<LocalIndex> scratch;
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    check_ring(mesh, path, c);
    sort_vertices(mesh, path, c, scratch);
  }
  check_edges_listed(mesh, path);
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) check_tangent_direction(mesh, path, e);
}

namespace {

/// The cells on both sides of an edge, seen from one of its ends along the edge.
struct Sides {
  LocalIndex right, left;
};

Sides sides(const Mesh& m, LocalIndex edge, int end) {
  const auto [first, second] = m.cells_on_edge[edge];
  return end == 0 ? Sides{second, first} : Sides{first, second};
}

/// Returns the position of `right` followed by `left` in `cells`; 3 if there is none.
int position_of_pair(const std::array<LocalIndex, 3>& cells, LocalIndex right, LocalIndex left) {
  int j = 0;
  while (j < 3 && (cells[j] != right || cells[(j + 1) % 3] != left)) ++j;
  return j;
}

/// Reverses the cells and kites of vertices that are listed clockwise.
void orient_vertices(Mesh& m) {
  std::vector<std::int8_t> turns(m.vertex_points.size(), 0);
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto [right, left] = sides(m, e, end);
      turns[v] += position_of_pair(m.cells_on_vertex[v], right, left) < 3;
      turns[v] -= position_of_pair(m.cells_on_vertex[v], left, right) < 3;
    }
  }
  for (LocalIndex v = 0; v < m.n_vertices(); ++v) {
    if (turns[v] >= 0) continue;
    std::swap(m.cells_on_vertex[v][1], m.cells_on_vertex[v][2]);
    std::swap(m.kite_areas_on_vertex[v][1], m.kite_areas_on_vertex[v][2]);
  }
}

/// Returns the edges of each vertex, with edge j between its cells j and j + 1.
std::vector<std::array<LocalIndex, 3>> edges_of_vertices(const Mesh& m, const std::string& path) {
  std::vector<std::array<LocalIndex, 3>> found(m.vertex_points.size(), {kNone, kNone, kNone});
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto& cells = m.cells_on_vertex[v];
      const auto [right, left] = sides(m, e, end);
      const int j = position_of_pair(cells, right, left);
      require<InputError>(
          j < 3 && found[v][j] == kNone,
          "{}: cellsOnVertex of vertex {} are {}, {} and {}, but its edge {} has cells {} and {} "
          "next to it. Make the mesh again.",
          path, v + 1, cells[0] + 1, cells[1] + 1, cells[2] + 1, e + 1, right + 1, left + 1);
      found[v][j] = e;
    }
  }
  return found;
}

/// Checks that there is an edge between any two consecutive cells of a vertex.
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

void canonicalize_vertices(Mesh& mesh, const std::string& path) {
  orient_vertices(mesh);
  auto found = edges_of_vertices(mesh, path);
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) check_complete(mesh, path, v, found[v]);
  mesh.edges_on_vertex = std::move(found);
}

}  // namespace halcyon::mesh
