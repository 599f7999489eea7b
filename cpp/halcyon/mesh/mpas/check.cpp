#include "halcyon/mesh/mpas/check.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/mesh/geometry/quality.hpp"

namespace halcyon::mesh {
namespace {

using Lists = std::vector<LocalIndex>;

/// Checks that entries are in 1..n, or 0 (none) if that is allowed.
void check_range(const std::string& path, const char* name, const char* entity, std::size_t row,
                 std::span<const LocalIndex> entries, LocalIndex n, bool may_be_none) {
  for (const LocalIndex i : entries)
    require<InputError>(i < n && i >= (may_be_none ? kNone : 0),
                        "{}: {} of {} {} is {}, but must be {}..{}. Make the mesh again.", path, name, entity,
                        row + 1, std::int64_t{i} + 1, may_be_none ? 0 : 1, n);
}

template <class Rows>
void check_rows(const std::string& path, const char* name, const char* entity, const Rows& rows, LocalIndex n,
                bool may_be_none) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    check_range(path, name, entity, row, rows[row], n, may_be_none);
}

void check_lists(const std::string& path, const char* name, const char* entity, const Lists& offsets,
                 const Lists& entries, LocalIndex n, bool may_be_none) {
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    check_range(path, name, entity, row,
                std::span(entries).subspan(offsets[row], offsets[row + 1] - offsets[row]), n, may_be_none);
}

}  // namespace

void check_ranges(const Mesh& m, const std::string& path) {
  require<InputError>(m.n_cells() > 0, "{} has no cells. Make the mesh again.", path);
  check_lists(path, "cellsOnCell", "cell", m.cell_offsets, m.cells_on_cell, m.n_cells(), true);
  check_lists(path, "edgesOnCell", "cell", m.cell_offsets, m.edges_on_cell, m.n_edges(), false);
  check_lists(path, "verticesOnCell", "cell", m.cell_offsets, m.vertices_on_cell, m.n_vertices(), false);
  check_lists(path, "edgesOnEdge", "edge", m.edge_offsets, m.edges_on_edge, m.n_edges(), true);
  check_rows(path, "cellsOnEdge", "edge", m.cells_on_edge, m.n_cells(), true);
  check_rows(path, "verticesOnEdge", "edge", m.vertices_on_edge, m.n_vertices(), false);
  check_rows(path, "cellsOnVertex", "vertex", m.cells_on_vertex, m.n_cells(), true);
  check_rows(path, "edgesOnVertex", "vertex", m.edges_on_vertex, m.n_edges(), true);
}

void canonicalize(Mesh& mesh, const std::string& path) {
  check_ranges(mesh, path);
  derive_vertices(mesh, path);
  canonicalize_cells(mesh, path);
  canonicalize_vertices(mesh, path);
  derive_kites(mesh);
  check_geometry(mesh, path);
  canonicalize_tangents(mesh, path);
}

void derive_kites(Mesh& m) {
  if (!m.kite_areas_on_vertex.empty()) return;
  m.kite_areas_on_vertex.assign(m.vertex_points.size(), {0, 0, 0});
  for (LocalIndex v = 0; v < m.n_vertices(); ++v) {
    for (int j = 0; j < 3; ++j) {
      const LocalIndex cell = m.cells_on_vertex[v][j], right = m.edges_on_vertex[v][j],
                       left = m.edges_on_vertex[v][(j + 2) % 3];
      if (cell == kNone || right == kNone || left == kNone) continue;
      m.kite_areas_on_vertex[v][j] =
          kite_area(m.cell_points[cell], m.edge_points[right], m.vertex_points[v], m.edge_points[left]);
    }
  }
}

namespace {

constexpr double kTolerance = 0.01;      // relative difference of lengths and areas
constexpr double kAngleTolerance = 0.1;  // [rad]
constexpr double kPole = 1e-3;           // distance from a pole within which east is ill-defined [rad]

bool is_near(double value, double expected) {
  return std::abs(value - expected) <= kTolerance * expected;
}

/// Checks dcEdge and dvEdge of an edge against the distances between points. On the outer boundary, the
/// second cell is unknown.
void check_lengths(const Mesh& m, const std::string& path, LocalIndex e) {
  const auto [first, second] = m.cells_on_edge[e];
  const auto [right, left] = m.vertices_on_edge[e];
  const double dc = m.dc_edge[e], dv = m.dv_edge[e];
  const double edge_distance = arc_length(m.cell_points[first], m.edge_points[e]);
  require<InputError>(
      dc > 0 && edge_distance <= dc,
      "{}: dcEdge of edge {} (cell {}) is {} radii, but the edge lies {} from that cell. Correct "
      "dcEdge, its unit, or x, y, zEdge.",
      path, e + 1, first + 1, dc, edge_distance);
  const double cell_distance = second == kNone ? dc : arc_length(m.cell_points[first], m.cell_points[second]);
  require<InputError>(
      is_near(dc, cell_distance),
      "{}: dcEdge of edge {} (cell {}) is {} radii, but its cells lie {} apart. Correct dcEdge, "
      "its unit, sphere_radius, or x, y, zCell.",
      path, e + 1, first + 1, dc, cell_distance);
  const double vertex_distance = arc_length(m.vertex_points[right], m.vertex_points[left]);
  require<InputError>(dv >= 0 && std::abs(dv - vertex_distance) <= kTolerance * dc,
                      "{}: dvEdge of edge {} (cell {}) is {} radii, but its vertices lie {} apart. Correct "
                      "dvEdge, its unit, sphere_radius, or x, y, zVertex.",
                      path, e + 1, first + 1, dv, vertex_distance);
}

void check_angle(const Mesh& m, const std::string& path, LocalIndex e) {
  const auto [first, second] = m.cells_on_edge[e];
  const Vector3 edge = m.edge_points[e];
  if (second == kNone || std::hypot(edge.x, edge.y) < kPole) return;
  const double expected = angle_from_east(edge, m.cell_points[second] - m.cell_points[first]);
  require<InputError>(
      std::abs(std::remainder(m.angle_edge[e] - expected, kTwoPi)) <= kAngleTolerance,
      "{}: angleEdge of edge {} (cell {}) is {}, but its normal is {} rad from east. Make the "
      "mesh again.",
      path, e + 1, first + 1, m.angle_edge[e], expected);
}

/// Checks the area of a triangle that lacks no cell against the sum of its kites, unless the triangle is
/// obtuse: mesh programs define the kites of obtuse triangles differently.
void check_triangle(const Mesh& m, const std::string& path, LocalIndex v) {
  if (is_boundary_vertex(m, v)) return;
  const auto& kites = m.kite_areas_on_vertex[v];
  const double area = m.area_triangle[v], sum = kites[0] + kites[1] + kites[2];
  require<InputError>(
      area > 0 && (is_near(sum, area) || is_obtuse(m, v)),
      "{}: areaTriangle of vertex {} (cell {}) is {}, but its kites add up to {} square radii. "
      "Correct their unit or sphere_radius, or make the mesh again.",
      path, v + 1, m.cells_on_vertex[v][0] + 1, area, sum);
}

/// Adds the kites of a vertex to the sums of its cells, and sets kites of missing cells to 0.
void add_kites(Mesh& m, LocalIndex v, std::vector<double>& sums) {
  for (int j = 0; j < 3; ++j) {
    double& kite = m.kite_areas_on_vertex[v][j];
    const LocalIndex cell = m.cells_on_vertex[v][j];
    if (cell == kNone)
      kite = 0;
    else
      sums[cell] += kite;
  }
}

}  // namespace

void check_geometry(Mesh& mesh, const std::string& path) {
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    check_lengths(mesh, path, e);
    check_angle(mesh, path, e);
  }
  std::vector<double> sums(mesh.cell_points.size(), 0.0);
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) {
    add_kites(mesh, v, sums);
    check_triangle(mesh, path, v);
  }
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c)
    require<InputError>(
        mesh.area_cell[c] > 0 && is_near(sums[c], mesh.area_cell[c]),
        "{}: areaCell of cell {} is {}, but its kites add up to {} square radii. Correct their unit "
        "or sphere_radius, or make the mesh again.",
        path, c + 1, mesh.area_cell[c], sums[c]);
}

}  // namespace halcyon::mesh
