#include <algorithm>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/mpas/check.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kFlat = 1e-6;  // [rad] by which vertices of single precision may lie out of order

/// Turns the edges of the outer boundary whose first cell is the one cut off.
void turn_inward(Mesh& m, const std::string& path) {
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

/// The vertex where edge `edge` starts, seen counter-clockwise around `cell`.
LocalIndex start_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 0 : 1];
}

LocalIndex end_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 1 : 0];
}

/// Edge i of the lists belongs to its cell c, and to the neighbour beside it.
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

/// Edges of a cell follow each other counter-clockwise, and none is there twice.
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

/// The vertices of a cell, in the order in which its edges start.
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

/// Every cell that an edge names has it in its list.
void check_claims(const Mesh& m, const std::string& path) {
  std::vector<int> claims(m.edge_points.size(), 0);
  for (LocalIndex c = 0; c < m.n_cells(); ++c)
    for (LocalIndex i = m.cell_offsets[c]; i < m.cell_offsets[c + 1]; ++i)
      claims[m.edges_on_cell[i]] |= m.cells_on_edge[m.edges_on_cell[i]][0] == c ? 1 : 2;
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    const auto [first, second] = m.cells_on_edge[e];
    require<InputError>(claims[e] == (second == kNone ? 1 : 3),
                        "{}: cellsOnEdge of edge {} names cell {}, whose edgesOnCell do not name that edge. "
                        "Make the mesh again.",
                        path, e + 1, (claims[e] & 1 ? second : first) + 1);
  }
}

/// The tangent from vertex 1 to vertex 2 is k x n, n from cell 1 to cell 2.
void check_turn(const Mesh& m, const std::string& path, LocalIndex e) {
  const Vector3 cell = m.cell_points[m.cells_on_edge[e][0]], edge = m.edge_points[e];
  const auto [right, left] = m.vertices_on_edge[e];
  const Vector3 along = cross(edge, edge - cell), tangent = m.vertex_points[left] - m.vertex_points[right];
  require<InputError>(dot(tangent, along) >= -kFlat * norm(along),
                      "{}: verticesOnEdge of edge {} (cell {}) run against k x n. Make the mesh again.", path,
                      e + 1, m.cells_on_edge[e][0] + 1);
}

}  // namespace

void settle_cells(Mesh& mesh, const std::string& path) {
  turn_inward(mesh, path);
  std::vector<LocalIndex> scratch;
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    check_ring(mesh, path, c);
    sort_vertices(mesh, path, c, scratch);
  }
  check_claims(mesh, path);
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) check_turn(mesh, path, e);
}

}  // namespace halcyon::mesh
