#include "halcyon/mesh/geometry/quality.hpp"

#include <algorithm>
#include <limits>

namespace halcyon::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double cell_quality(const Mesh& mesh, LocalIndex cell) {
  double shortest = kInfinity, longest = 0;
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const double dv = mesh.dv_edge[mesh.edges_on_cell[i]];
    shortest = std::min(shortest, dv);
    longest = std::max(longest, dv);
  }
  return shortest / longest;
}

double cell_spacing(const Mesh& mesh, LocalIndex cell) {
  const LocalIndex begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  double sum = 0;
  for (LocalIndex i = begin; i < end; ++i) sum += mesh.dc_edge[mesh.edges_on_cell[i]];
  return sum / (end - begin);
}

bool is_boundary(const Mesh& mesh, LocalIndex vertex) {
  return std::ranges::count(mesh.cells_on_vertex[vertex], kNone) > 0;
}

double triangle_quality(const Mesh& mesh, LocalIndex vertex) {
  if (is_boundary(mesh, vertex)) return 0;
  double shortest = kInfinity, longest = 0;
  for (const LocalIndex e : mesh.edges_on_vertex[vertex]) {
    shortest = std::min(shortest, mesh.dc_edge[e]);
    longest = std::max(longest, mesh.dc_edge[e]);
  }
  return shortest / longest;
}

bool is_obtuse(const Mesh& mesh, LocalIndex vertex) {
  if (is_boundary(mesh, vertex)) return false;
  const auto& cells = mesh.cells_on_vertex[vertex];
  for (int j = 0; j < 3; ++j) {
    const Vector3 corner = mesh.cell_points[cells[j]];
    const Vector3 right = mesh.cell_points[cells[(j + 1) % 3]] - corner;
    const Vector3 left = mesh.cell_points[cells[(j + 2) % 3]] - corner;
    if (dot(right, left) < 0) return true;
  }
  return false;
}

Quality quality(const Mesh& mesh) {
  Quality q{};
  q.cell_min = q.triangle_min = q.dc_min = kInfinity;
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    const double shape = cell_quality(mesh, c);
    q.cell_min = std::min(q.cell_min, shape);
    q.cell_mean += shape / mesh.n_cells();
  }
  LocalIndex whole = 0;
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) {
    if (is_boundary(mesh, v)) continue;
    const double shape = triangle_quality(mesh, v);
    q.triangle_min = std::min(q.triangle_min, shape);
    q.triangle_mean += shape;
    q.n_obtuse += is_obtuse(mesh, v);
    ++whole;
  }
  q.triangle_mean /= whole;
  for (const double dc : mesh.dc_edge) {
    q.dc_min = std::min(q.dc_min, dc);
    q.dc_max = std::max(q.dc_max, dc);
    q.dc_mean += dc / mesh.n_edges();
  }
  const auto [smallest, largest] = std::ranges::minmax(mesh.area_cell);
  q.area_ratio = largest / smallest;
  return q;
}

}  // namespace halcyon::mesh
