#include "halcyon/mesh/geometry/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

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

bool is_boundary_vertex(const Mesh& mesh, LocalIndex vertex) {
  return std::ranges::count(mesh.cells_on_vertex[vertex], kNone) > 0;
}

double triangle_quality(const Mesh& mesh, LocalIndex vertex) {
  if (is_boundary_vertex(mesh, vertex)) return 0;
  double shortest = kInfinity, longest = 0;
  for (const LocalIndex e : mesh.edges_on_vertex[vertex]) {
    shortest = std::min(shortest, mesh.dc_edge[e]);
    longest = std::max(longest, mesh.dc_edge[e]);
  }
  return shortest / longest;
}

bool is_obtuse(const Mesh& mesh, LocalIndex vertex) {
  if (is_boundary_vertex(mesh, vertex)) return false;
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
    const double ratio = cell_quality(mesh, c);
    q.cell_min = std::min(q.cell_min, ratio);
    q.cell_mean += ratio / mesh.n_cells();
  }
  LocalIndex n_complete = 0;
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) {
    if (is_boundary_vertex(mesh, v)) continue;
    const double ratio = triangle_quality(mesh, v);
    q.triangle_min = std::min(q.triangle_min, ratio);
    q.triangle_mean += ratio;
    q.n_obtuse += is_obtuse(mesh, v);
    ++n_complete;
  }
  q.triangle_mean /= n_complete;
  for (const double dc : mesh.dc_edge) {
    q.dc_min = std::min(q.dc_min, dc);
    q.dc_max = std::max(q.dc_max, dc);
    q.dc_mean += dc / mesh.n_edges();
  }
  const auto [smallest, largest] = std::ranges::minmax(mesh.area_cell);
  q.area_ratio = largest / smallest;
  return q;
}

namespace {

/// A sum with Kahan's compensation of rounding errors.
class KahanSum {
 public:
  void add(double value) {
    const double term = value - lost_, next = sum_ + term;
    lost_ = (next - sum_) - term;
    sum_ = next;
  }
  double value() const { return sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

bool is_closed(const Mesh& mesh) {
  return std::ranges::count(mesh.cells_on_cell, kNone) == 0;
}

double area_error(const Mesh& mesh) {
  KahanSum cells, kites;
  for (const double area : mesh.area_cell) cells.add(area);
  if (is_closed(mesh)) return std::abs(cells.value() / (4 * kPi) - 1);
  for (const auto& vertex_kites : mesh.kite_areas_on_vertex)
    for (const double kite : vertex_kites) kites.add(kite);
  return std::abs(kites.value() / cells.value() - 1);
}

double orthogonality_error(const Mesh& mesh) {
  double worst = 0;
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    const auto [from, to] = mesh.cells_on_edge[e];
    if (to == kNone) continue;
    const auto [right, left] = mesh.vertices_on_edge[e];
    const Vector3 normal = normalized(mesh.cell_points[to] - mesh.cell_points[from]);
    const Vector3 tangent = mesh.vertex_points[left] - mesh.vertex_points[right];
    worst = std::max(worst, std::abs(dot(normal, tangent)) / std::max(norm(tangent), mesh.dc_edge[e]));
  }
  return worst;
}

bool is_inner_edge(const Mesh& mesh, LocalIndex edge) {
  return mesh.cells_on_edge[edge][1] != kNone;
}

/// Returns the weight of u(other) in u_perp(edge), divided by dv_edge[other] / dc_edge[edge].
double scaled_weight(const Mesh& mesh, LocalIndex edge, LocalIndex other) {
  double sum = 0;
  for (LocalIndex i = mesh.edge_offsets[edge]; i < mesh.edge_offsets[edge + 1]; ++i)
    if (mesh.edges_on_edge[i] == other)
      sum += mesh.weights_on_edge[i] * mesh.dc_edge[edge] / mesh.dv_edge[other];
  return sum;
}

double antisymmetry_error(const Mesh& mesh) {
  double worst = 0;
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    for (LocalIndex i = mesh.edge_offsets[e]; i < mesh.edge_offsets[e + 1]; ++i) {
      const LocalIndex other = mesh.edges_on_edge[i];
      if (other == kNone || !is_inner_edge(mesh, e) || !is_inner_edge(mesh, other)) continue;
      if (mesh.dv_edge[e] == 0 || mesh.dv_edge[other] == 0) continue;
      worst = std::max(worst, std::abs(scaled_weight(mesh, e, other) + scaled_weight(mesh, other, e)));
    }
  }
  return worst;
}

/// Returns an irregular normal velocity in [-1, 1) on every edge: multiples of the golden ratio, modulo 1.
std::vector<double> arbitrary_velocity(LocalIndex n) {
  std::vector<double> u(n);
  for (LocalIndex e = 0; e < n; ++e) u[e] = std::fmod(0.6180339887498949 * (e + 1), 1.0) * 2 - 1;
  return u;
}

/// Returns the net flux out of each cell: sum_e n_ei l_e u_e (n_ei: 1 outward, -1 inward; l: dv_edge).
std::vector<double> cell_outflow(const Mesh& mesh, const std::vector<double>& u) {
  std::vector<double> outflow(mesh.n_cells());
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    outflow[mesh.cells_on_edge[e][0]] += mesh.dv_edge[e] * u[e];
    if (is_inner_edge(mesh, e)) outflow[mesh.cells_on_edge[e][1]] -= mesh.dv_edge[e] * u[e];
  }
  return outflow;
}

/// Returns the net flux of the tangential velocity out of each triangle: sum_e t_ev d_e u_perp_e (t_ev: 1 if
/// the tangent points out of the triangle of vertex v, else -1; d: dc_edge).
std::vector<double> triangle_outflow(const Mesh& mesh, const std::vector<double>& u) {
  std::vector<double> outflow(mesh.n_vertices());
  for (LocalIndex e = 0; e < mesh.n_edges(); ++e) {
    double tangential = 0;
    for (LocalIndex i = mesh.edge_offsets[e]; i < mesh.edge_offsets[e + 1]; ++i)
      if (mesh.edges_on_edge[i] != kNone) tangential += mesh.weights_on_edge[i] * u[mesh.edges_on_edge[i]];
    outflow[mesh.vertices_on_edge[e][0]] += mesh.dc_edge[e] * tangential;
    outflow[mesh.vertices_on_edge[e][1]] -= mesh.dc_edge[e] * tangential;
  }
  return outflow;
}

/// Whether a triangle lacks no cell, and no edge in the sums of tangential velocity on its sides.
bool is_complete_triangle(const Mesh& mesh, LocalIndex vertex) {
  if (is_boundary_vertex(mesh, vertex)) return false;
  return std::ranges::none_of(mesh.edges_on_vertex[vertex], [&](LocalIndex e) {
    const auto begin = mesh.edges_on_edge.begin();
    return std::ranges::count(begin + mesh.edge_offsets[e], begin + mesh.edge_offsets[e + 1], kNone) > 0;
  });
}

double divergence_error(const Mesh& mesh) {
  const auto u = arbitrary_velocity(mesh.n_edges());
  const auto cell_flux = cell_outflow(mesh, u), triangle_flux = triangle_outflow(mesh, u);
  double worst = 0;
  for (LocalIndex v = 0; v < mesh.n_vertices(); ++v) {
    if (!is_complete_triangle(mesh, v)) continue;
    double expected = 0, scale = 0;
    for (int j = 0; j < 3; ++j) {
      const LocalIndex c = mesh.cells_on_vertex[v][j];
      expected += mesh.kite_areas_on_vertex[v][j] / mesh.area_cell[c] * cell_flux[c];
      scale += mesh.dc_edge[mesh.edges_on_vertex[v][j]];
    }
    worst = std::max(worst, std::abs(triangle_flux[v] - expected) / scale);
  }
  return worst;
}

}  // namespace

Identities identities(const Mesh& mesh) {
  return {area_error(mesh), antisymmetry_error(mesh), divergence_error(mesh), orthogonality_error(mesh)};
}

}  // namespace halcyon::mesh
