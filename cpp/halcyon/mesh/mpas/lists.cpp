#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/mpas/check.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kMaxInverted = 1e-6;  // [rad] tolerated length of an inverted edge (single precision)

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

/// Returns the vertex where an edge starts, or ends, counter-clockwise around `cell`.
LocalIndex start_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 0 : 1];
}

LocalIndex end_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 1 : 0];
}

/// Checks that edge edges_on_cell[i] of cell c is between this cell and cells_on_cell[i].
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

/// Reorders the vertices of a cell: vertex j is where the cell's edge j starts.
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

/// Checks that the edge lists of both cells of an edge contain that edge.
void check_edges_listed(const Mesh& m, const std::string& path) {
  std::vector<int> listed(m.edge_points.size(), 0);  // bit 0: by the first cell; bit 1: by the second
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

/// Checks that the tangent, from the first vertex to the second, points along k x n (k: up, n: normal).
void check_tangent_direction(const Mesh& m, const std::string& path, LocalIndex e) {
  const Vector3 cell = m.cell_points[m.cells_on_edge[e][0]], edge = m.edge_points[e];
  const auto [right, left] = m.vertices_on_edge[e];
  const Vector3 expected = cross(edge, edge - cell), tangent = m.vertex_points[left] - m.vertex_points[right];
  require<InputError>(dot(tangent, expected) >= -kMaxInverted * norm(expected),
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

/// Orders the vertices of each edge such that the tangent points along k x n.
void orient_tangents(Mesh& m) {
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    const auto [first, second] = m.cells_on_edge[e];
    if (first == kNone && second == kNone) continue;  // an error of orient_boundary_edges
    const Vector3 edge = m.edge_points[e];
    const Vector3 normal = first == kNone ? m.cell_points[second] - edge : edge - m.cell_points[first];
    auto& [right, left] = m.vertices_on_edge[e];
    if (dot(m.vertex_points[left] - m.vertex_points[right], cross(edge, normal)) < 0) std::swap(right, left);
  }
}

/// Sorts the edges of each cell, and the neighbours across them, counter-clockwise around the cell's centre.
void sort_around_cells(Mesh& m) {
  struct Side {
    double angle;
    LocalIndex edge, neighbour;
  };
  std::vector<Side> sides;
  for (LocalIndex c = 0; c < m.n_cells(); ++c) {
    const LocalIndex begin = m.cell_offsets[c], end = m.cell_offsets[c + 1];
    const Vector3 up = m.cell_points[c], x = m.edge_points[m.edges_on_cell[begin]] - up, y = cross(up, x);
    sides.clear();
    for (LocalIndex i = begin; i < end; ++i) {
      const Vector3 to_edge = m.edge_points[m.edges_on_cell[i]] - up;
      sides.push_back({std::atan2(dot(to_edge, y), dot(to_edge, x)), m.edges_on_cell[i], m.cells_on_cell[i]});
    }
    std::ranges::sort(sides, {}, &Side::angle);
    for (LocalIndex i = begin; i < end; ++i) {
      m.edges_on_cell[i] = sides[i - begin].edge;
      m.cells_on_cell[i] = sides[i - begin].neighbour;
    }
  }
}

/// Writes a cell or an edge to the first free place of the list of a vertex.
void add_to_vertex(std::vector<std::array<LocalIndex, 3>>& lists, LocalIndex vertex, LocalIndex entry,
                   const std::string& path, const char* source) {
  auto& list = lists[vertex];
  const auto place = std::ranges::find(list, kNone);
  require<InputError>(place != list.end(),
                      "{}: {} name vertex {} more than three times. Make the mesh again.", path, source,
                      vertex + 1);
  *place = entry;
}

}  // namespace

void derive_vertices(Mesh& m, const std::string& path) {
  constexpr std::array<LocalIndex, 3> none{kNone, kNone, kNone};
  if (m.cells_on_vertex.empty()) {
    orient_tangents(m);
    sort_around_cells(m);
    m.cells_on_vertex.assign(m.vertex_points.size(), none);
    for (LocalIndex c = 0; c < m.n_cells(); ++c)
      for (LocalIndex i = m.cell_offsets[c]; i < m.cell_offsets[c + 1]; ++i)
        add_to_vertex(m.cells_on_vertex, m.vertices_on_cell[i], c, path, "verticesOnCell");
  }
  if (m.edges_on_vertex.empty()) {
    m.edges_on_vertex.assign(m.vertex_points.size(), none);
    for (LocalIndex e = 0; e < m.n_edges(); ++e)
      for (const LocalIndex vertex : m.vertices_on_edge[e])
        add_to_vertex(m.edges_on_vertex, vertex, e, path, "verticesOnEdge");
  }
}

namespace {

/// The cells on both sides of an edge, seen from its vertex `end` (0 or 1) towards its other vertex.
struct Sides {
  LocalIndex right, left;
};

Sides sides_of(const Mesh& m, LocalIndex edge, int end) {
  const auto [first, second] = m.cells_on_edge[edge];
  return end == 0 ? Sides{second, first} : Sides{first, second};
}

/// Returns the position in `cells` where `right` is followed by `left`; 3 if there is no such position.
int position_of_pair(const std::array<LocalIndex, 3>& cells, LocalIndex right, LocalIndex left) {
  int j = 0;
  while (j < 3 && (cells[j] != right || cells[(j + 1) % 3] != left)) ++j;
  return j;
}

/// Reverses the cells and kites, if any, of vertices that are listed clockwise.
void orient_vertices(Mesh& m) {
  std::vector<std::int8_t> orientation(m.vertex_points.size(), 0);  // below 0: clockwise
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto [right, left] = sides_of(m, e, end);
      orientation[v] += position_of_pair(m.cells_on_vertex[v], right, left) < 3;
      orientation[v] -= position_of_pair(m.cells_on_vertex[v], left, right) < 3;
    }
  }
  for (LocalIndex v = 0; v < m.n_vertices(); ++v) {
    if (orientation[v] >= 0) continue;
    std::swap(m.cells_on_vertex[v][1], m.cells_on_vertex[v][2]);
    if (!m.kite_areas_on_vertex.empty())
      std::swap(m.kite_areas_on_vertex[v][1], m.kite_areas_on_vertex[v][2]);
  }
}

/// Returns the edges of each vertex: edge j is between the vertex's cells j and j + 1.
std::vector<std::array<LocalIndex, 3>> edges_of_vertices(const Mesh& m, const std::string& path) {
  std::vector<std::array<LocalIndex, 3>> edges(m.vertex_points.size(), {kNone, kNone, kNone});
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    for (const int end : {0, 1}) {
      const LocalIndex v = m.vertices_on_edge[e][end];
      const auto& cells = m.cells_on_vertex[v];
      const auto [right, left] = sides_of(m, e, end);
      const int j = position_of_pair(cells, right, left);
      require<InputError>(
          j < 3 && edges[v][j] == kNone,
          "{}: cellsOnVertex of vertex {} are {}, {} and {}, but its edge {} is between cells {} "
          "and {}. Make the mesh again.",
          path, v + 1, cells[0] + 1, cells[1] + 1, cells[2] + 1, e + 1, right + 1, left + 1);
      edges[v][j] = e;
    }
  }
  return edges;
}

/// Checks that an edge is between any two consecutive cells of a vertex, and that edgesOnVertex agrees.
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
                      "this vertex. Make the mesh again.",
                      path, v + 1, std::ranges::max(cells) + 1);
}

}  // namespace

void canonicalize_vertices(Mesh& mesh, const std::string& path) {
  orient_vertices(mesh);
  auto edges = edges_of_vertices(mesh, path);
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) check_complete(mesh, path, v, edges[v]);
  mesh.edges_on_vertex = std::move(edges);
}

}  // namespace halcyon::mesh
