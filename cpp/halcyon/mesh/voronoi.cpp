#include "halcyon/mesh/voronoi.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/connectivity.hpp"
#include "halcyon/mesh/geometry.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kFlat = 1e-9;  // [rad] by which an edge may run backwards: four generators on one circle

void place_vertices(Mesh& mesh) {
  mesh.vertex_points.reserve(mesh.cells_on_vertex.size());
  for (const auto& [a, b, c] : mesh.cells_on_vertex)
    mesh.vertex_points.push_back(circumcentre(mesh.cell_points[a], mesh.cell_points[b], mesh.cell_points[c]));
}

/// Points, lengths and angles of the edges; the edge point is the midpoint of the cell arc.
void measure_edges(Mesh& mesh) {
  for (std::size_t e = 0; e < mesh.cells_on_edge.size(); ++e) {
    const Vector3 from = mesh.cell_points[mesh.cells_on_edge[e][0]];
    const Vector3 to = mesh.cell_points[mesh.cells_on_edge[e][1]];
    const Vector3 right = mesh.vertex_points[mesh.vertices_on_edge[e][0]];
    const Vector3 left = mesh.vertex_points[mesh.vertices_on_edge[e][1]];
    const Vector3 point = normalized(from + to), normal = normalized(to - from);
    require<InputError>(dot(left - right, cross(point, normal)) > -kFlat,
                        "The triangulation is not Delaunay between generators {} and {}. Flip the edge "
                        "between them.",
                        mesh.cells_on_edge[e][0], mesh.cells_on_edge[e][1]);
    mesh.edge_points.push_back(point);
    mesh.dc_edge.push_back(arc_length(from, to));
    mesh.dv_edge.push_back(arc_length(right, left));
    mesh.angle_edge.push_back(angle_from_east(point, normal));
  }
}

/// Kites (cell, edge, vertex, edge), signed so that those of obtuse triangles add up; cells and triangles
/// are the sums of their kites.
void measure_areas(Mesh& mesh) {
  mesh.kite_areas_on_vertex.resize(mesh.vertex_points.size());
  mesh.area_triangle.resize(mesh.vertex_points.size());
  mesh.area_cell.assign(mesh.cell_points.size(), 0);
  for (std::size_t v = 0; v < mesh.vertex_points.size(); ++v) {
    const Vector3 vertex = mesh.vertex_points[v];
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      const LocalIndex c = mesh.cells_on_vertex[v][j];
      const Vector3 cell = mesh.cell_points[c];
      const Vector3 right = mesh.edge_points[mesh.edges_on_vertex[v][j]];
      const Vector3 left = mesh.edge_points[mesh.edges_on_vertex[v][(j + 2) % 3]];
      const double kite = triangle_area(cell, right, vertex) + triangle_area(cell, vertex, left);
      mesh.kite_areas_on_vertex[v][j] = kite;
      mesh.area_cell[c] += kite;
      sum += kite;
    }
    mesh.area_triangle[v] = sum;
  }
}

void check_generators(std::span<const Vector3> generators) {
  for (std::size_t c = 0; c < generators.size(); ++c)
    require<InputError>(std::abs(norm(generators[c]) - 1) < 1e-12,
                        "Generator {} lies at distance {} from the centre. Put it on the unit sphere.", c,
                        norm(generators[c]));
}

}  // namespace

Mesh voronoi_mesh(std::span<const Vector3> generators, std::span<const std::array<LocalIndex, 3>> triangles) {
  check_generators(generators);
  Mesh mesh;
  mesh.cell_points.assign(generators.begin(), generators.end());
  mesh.mesh_density.assign(generators.size(), 1.0);
  connect(mesh, triangles);
  place_vertices(mesh);
  measure_edges(mesh);
  measure_areas(mesh);
  reconstruct_tangents(mesh);
  return mesh;
}

}  // namespace halcyon::mesh
