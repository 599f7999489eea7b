#include "halcyon/mesh/generate/voronoi.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/generate/vertex_point.hpp"
#include "halcyon/mesh/geometry/connectivity.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kFlat = 1e-9;  // [rad] by which an edge may run backwards: four generators on one circle
constexpr LocalIndex kMostCells = 70'000'000;  // 30 edges on edges each

void place_vertices(Mesh& mesh, int threads) {
  mesh.vertex_points.resize(mesh.cells_on_vertex.size());
  for_each_index(mesh.n_vertices(), threads, [&](std::int64_t v) {
    const auto& [a, b, c] = mesh.cells_on_vertex[v];
    mesh.vertex_points[v] = vertex_point(mesh.cell_points[a], mesh.cell_points[b], mesh.cell_points[c]);
  });
}

/// Point, lengths and angle of an edge; its point is the midpoint of the cell arc.
void measure_edge(Mesh& mesh, std::int64_t e) {
  const Vector3 from = mesh.cell_points[mesh.cells_on_edge[e][0]];
  const Vector3 to = mesh.cell_points[mesh.cells_on_edge[e][1]];
  const Vector3 right = mesh.vertex_points[mesh.vertices_on_edge[e][0]];
  const Vector3 left = mesh.vertex_points[mesh.vertices_on_edge[e][1]];
  const Vector3 point = normalized(from + to), way = to - from;
  mesh.dc_edge[e] = arc_length(from, to);
  require<InputError>(dot(left - right, cross(point, way)) > -kFlat * mesh.dc_edge[e],
                      "The triangulation is not Delaunay between generators {} and {}. Flip the edge between "
                      "them.",
                      mesh.cells_on_edge[e][0], mesh.cells_on_edge[e][1]);
  mesh.edge_points[e] = point;
  mesh.dv_edge[e] = arc_length(right, left);
  mesh.angle_edge[e] = angle_from_east(point, way);
}

void measure_edges(Mesh& mesh, int threads) {
  const std::size_t n = mesh.cells_on_edge.size();
  mesh.edge_points.resize(n);
  for (auto* values : {&mesh.dc_edge, &mesh.dv_edge, &mesh.angle_edge}) values->resize(n);
  for_each_index(mesh.n_edges(), threads, [&](std::int64_t e) { measure_edge(mesh, e); });
}

/// Kites (cell, edge, vertex, edge), signed so that those of obtuse triangles add up; a triangle is the sum
/// of its kites.
void measure_triangle(Mesh& mesh, std::int64_t v) {
  const Vector3 vertex = mesh.vertex_points[v];
  double sum = 0;
  for (int j = 0; j < 3; ++j) {
    const Vector3 cell = mesh.cell_points[mesh.cells_on_vertex[v][j]];
    const Vector3 right = mesh.edge_points[mesh.edges_on_vertex[v][j]];
    const Vector3 left = mesh.edge_points[mesh.edges_on_vertex[v][last_corner(j)]];
    const double kite = triangle_area(cell, right, vertex) + triangle_area(cell, vertex, left);
    mesh.kite_areas_on_vertex[v][j] = kite;
    sum += kite;
  }
  mesh.area_triangle[v] = sum;
}

void measure_areas(Mesh& mesh, int threads) {
  mesh.kite_areas_on_vertex.resize(mesh.vertex_points.size());
  mesh.area_triangle.resize(mesh.vertex_points.size());
  for_each_index(mesh.n_vertices(), threads, [&](std::int64_t v) { measure_triangle(mesh, v); });
  mesh.area_cell.assign(mesh.cell_points.size(), 0);
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      mesh.area_cell[c] += kite_area(mesh, static_cast<LocalIndex>(c), mesh.vertices_on_cell[i]);
  });
}

}  // namespace

Mesh voronoi_mesh(const Triangulation& triangulation, int threads) {
  require<InputError>(triangulation.n_points() <= kMostCells,
                      "A mesh of {} cells has lists too long for its 32-bit indices. Give at most {}.",
                      triangulation.n_points(), kMostCells);
  Mesh mesh;
  mesh.cell_points = triangulation.points;
  mesh.mesh_density.assign(triangulation.points.size(), 1.0);
  connect(mesh, triangulation, threads);
  place_vertices(mesh, threads);
  measure_edges(mesh, threads);
  measure_areas(mesh, threads);
  reconstruct_tangents(mesh, threads);
  return mesh;
}

}  // namespace halcyon::mesh
