#include "halcyon/mesh/mpas_check.hpp"

#include <algorithm>
#include <span>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// Checks that the entries of a list point to 1..n, or to nothing (0) where that is allowed.
void check_range(const std::string& path, const char* name, const char* row_name, std::size_t row,
                 std::span<const LocalIndex> entries, LocalIndex n, bool may_miss) {
  for (const LocalIndex i : entries)
    require<InputError>(i < n && i >= (may_miss ? kNone : 0),
                        "{}: {} of {} {} is {}, but must be {}..{}. Make the mesh again.", path, name,
                        row_name, row + 1, i + 1, may_miss ? 0 : 1, n);
}

template <class Rows>
void check_rows(const std::string& path, const char* name, const char* row_name, const Rows& rows,
                LocalIndex n, bool may_miss) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    check_range(path, name, row_name, row, rows[row], n, may_miss);
}

void check_ranges(const Mesh& m, const std::string& path) {
  for (LocalIndex c = 0; c < m.n_cells(); ++c) {
    const auto begin = static_cast<std::size_t>(m.cell_offsets[c]);
    const auto n = static_cast<std::size_t>(m.cell_offsets[c + 1]) - begin;
    check_range(path, "cellsOnCell", "cell", c, std::span(m.cells_on_cell).subspan(begin, n), m.n_cells(),
                true);
    check_range(path, "edgesOnCell", "cell", c, std::span(m.edges_on_cell).subspan(begin, n), m.n_edges(),
                false);
    check_range(path, "verticesOnCell", "cell", c, std::span(m.vertices_on_cell).subspan(begin, n),
                m.n_vertices(), false);
  }
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    const auto begin = static_cast<std::size_t>(m.edge_offsets[e]);
    const auto n = static_cast<std::size_t>(m.edge_offsets[e + 1]) - begin;
    check_range(path, "edgesOnEdge", "edge", e, std::span(m.edges_on_edge).subspan(begin, n), m.n_edges(),
                true);
    check_range(path, "cellsOnEdge", "edge", e, std::span(m.cells_on_edge[e]).first(1), m.n_cells(), false);
  }
  check_rows(path, "cellsOnEdge", "edge", m.cells_on_edge, m.n_cells(), true);
  check_rows(path, "verticesOnEdge", "edge", m.vertices_on_edge, m.n_vertices(), false);
  check_rows(path, "cellsOnVertex", "vertex", m.cells_on_vertex, m.n_cells(), true);
  check_rows(path, "edgesOnVertex", "vertex", m.edges_on_vertex, m.n_edges(), true);
}

void check_sizes(const Mesh& m, const std::string& path) {
  for (LocalIndex c = 0; c < m.n_cells(); ++c)
    require<InputError>(m.area_cell[c] > 0,
                        "{}: areaCell of cell {} is {}, but must be positive. Make the mesh again.", path,
                        c + 1, m.area_cell[c]);
  for (LocalIndex e = 0; e < m.n_edges(); ++e)
    require<InputError>(
        m.dc_edge[e] > 0 && m.dv_edge[e] >= 0,
        "{}: dcEdge and dvEdge of edge {} (cell {}) are {} and {}, but must be positive. Make "
        "the mesh again.",
        path, e + 1, m.cells_on_edge[e][0] + 1, m.dc_edge[e], m.dv_edge[e]);
}

/// The vertex where edge `edge` starts, seen counter-clockwise around `cell`.
LocalIndex start_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 0 : 1];
}

LocalIndex end_of(const Mesh& m, LocalIndex edge, LocalIndex cell) {
  return m.vertices_on_edge[edge][m.cells_on_edge[edge][0] == cell ? 1 : 0];
}

/// Edges belong to their cell, share its neighbour, and follow each other counter-clockwise.
void check_cell(Mesh& m, const std::string& path, LocalIndex c) {
  const LocalIndex begin = m.cell_offsets[c], end = m.cell_offsets[c + 1];
  for (LocalIndex i = begin; i < end; ++i) {
    const LocalIndex e = m.edges_on_cell[i], next = m.edges_on_cell[i + 1 < end ? i + 1 : begin];
    const auto [first, second] = m.cells_on_edge[e];
    require<InputError>(
        first == c || second == c,
        "{}: edgesOnCell of cell {} names edge {}, whose cellsOnEdge are {} and {}. Make the mesh "
        "again.",
        path, c + 1, e + 1, first + 1, second + 1);
    require<InputError>(
        m.cells_on_cell[i] == (first == c ? second : first),
        "{}: cellsOnCell of cell {} names cell {} across edge {}, whose cellsOnEdge are {} and {}. "
        "Make the mesh again.",
        path, c + 1, m.cells_on_cell[i] + 1, e + 1, first + 1, second + 1);
    require<InputError>(
        end_of(m, e, c) == start_of(m, next, c),
        "{}: edgesOnCell of cell {}: edge {} does not begin where edge {} ends. Lists must run "
        "counter-clockwise, and verticesOnEdge along k x n. Make the mesh again.",
        path, c + 1, next + 1, e + 1);
  }
}

/// The vertices of a cell, in the order in which its edges start.
void sort_vertices(Mesh& m, const std::string& path, LocalIndex c) {
  const auto begin = m.vertices_on_cell.begin() + m.cell_offsets[c];
  const auto end = m.vertices_on_cell.begin() + m.cell_offsets[c + 1];
  std::vector<LocalIndex> sorted;
  for (LocalIndex i = m.cell_offsets[c]; i < m.cell_offsets[c + 1]; ++i)
    sorted.push_back(start_of(m, m.edges_on_cell[i], c));
  require<InputError>(
      std::is_permutation(begin, end, sorted.begin()),
      "{}: verticesOnCell of cell {} are not the ends of its edgesOnCell. Make the mesh again.", path, c + 1);
  std::ranges::copy(sorted, begin);
}

/// The tangent from vertex 1 to vertex 2 is k x n, n from cell 1 to cell 2.
void check_turn(const Mesh& m, const std::string& path, LocalIndex e) {
  const Vector3 cell = m.cell_points[m.cells_on_edge[e][0]], edge = m.edge_points[e];
  const auto [right, left] = m.vertices_on_edge[e];
  const Vector3 tangent = m.vertex_points[left] - m.vertex_points[right];
  const double along = dot(tangent, cross(edge, edge - cell));
  require<InputError>(along >= -1e-12,
                      "{}: verticesOnEdge of edge {} (cell {}) run against k x n. Make the mesh again.", path,
                      e + 1, m.cells_on_edge[e][0] + 1);
}

}  // namespace

void check_lists(Mesh& mesh, const std::string& path) {
  require<InputError>(mesh.n_cells() > 0, "{} has no cells. Make the mesh again.", path);
  check_ranges(mesh, path);
  check_sizes(mesh, path);
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    check_cell(mesh, path, c);
    sort_vertices(mesh, path, c);
  }
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) check_turn(mesh, path, e);
}

}  // namespace halcyon::mesh
