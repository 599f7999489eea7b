#include <algorithm>

#include "halcyon/base/normal_equations.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::operators {
namespace {

constexpr int kFields = 6;  // vector fields that are linear in the neighbourhood of a vertex
using VorticityWeightsOfVertex = std::array<double, kVorticityEdges>;
using Components = NormalEquations<kFields>::Row;

/// Returns the components along the normal of an edge, at its midpoint on the unit sphere, of six vector
/// fields: solid rotation about three axes, and the tangential parts of (x, y), (x, -y) and (y, x), where x
/// and y are the coordinates along two of the axes, which touch the sphere at `vertex`. The last four fields
/// are divided by `scale`.
Components normal_components(const mesh::Mesh& mesh, LocalIndex edge, Vector3 vertex, Vector3 axis_x,
                             double scale) {
  const auto [right, left] = mesh.vertices_on_edge[edge];
  const Vector3 from = mesh.vertex_points[right], to = mesh.vertex_points[left],
                point = normalized(from + to), normal = normalized(cross(to - from, point)),
                axis_y = cross(vertex, axis_x);
  const double x = dot(point, axis_x), y = dot(point, axis_y), normal_x = dot(normal, axis_x),
               normal_y = dot(normal, axis_y);
  return {dot(cross(axis_x, point), normal),         dot(cross(axis_y, point), normal),
          dot(cross(vertex, point), normal) / scale, (x * normal_x + y * normal_y) / scale,
          (x * normal_x - y * normal_y) / scale,     (x * normal_y + y * normal_x) / scale};
}

/// The edges of the vertex first: (1 + a) zeta_v minus a times the mean of the zeta of its three neighbours,
/// zeta = (1/A_v) sum_e t_ev d_e u_e, on the unit sphere
VorticityWeightsOfVertex circulation_weights(const mesh::Mesh& mesh, const VorticityEdges& edges,
                                             LocalIndex vertex, double a) {
  const auto weight = [&](LocalIndex v, LocalIndex edge) {
    return (mesh.vertices_on_edge[edge][1] == v ? 1 : -1) * mesh.dc_edge[edge] / mesh.area_triangle[v];
  };
  VorticityWeightsOfVertex result{};
  for (int j = 0; j < 3; ++j) {
    const auto [first, second] = mesh.vertices_on_edge[edges[j]];
    const auto neighbour = first == vertex ? second : first;
    result[j] = (1 + a) * weight(vertex, edges[j]) - a / 3 * weight(neighbour, edges[j]);
    for (int i = 3 + 2 * j; i < 5 + 2 * j; ++i) result[i] = -a / 3 * weight(neighbour, edges[i]);
  }
  return result;
}

}  // namespace

std::vector<VorticityEdges> vorticity_edges(const mesh::Mesh& mesh) {
  std::vector<VorticityEdges> result;
  for (LocalIndex vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
    auto& edges = result.emplace_back();
    edges.fill(kNone);
    std::ranges::copy(mesh.edges_on_vertex[vertex], edges.begin());
    auto next = edges.begin() + 3;
    for (const auto edge : mesh.edges_on_vertex[vertex]) {
      if (edge == kNone) continue;
      const auto [first, second] = mesh.vertices_on_edge[edge];
      for (const auto other : mesh.edges_on_vertex[first == vertex ? second : first])
        if (other != edge) *next++ = other;
    }
  }
  return result;
}

template <class Real>
void HorizontalMesh<Real>::set_vorticity(const mesh::Mesh& mesh, double radius) {
  vorticity_edges = operators::vorticity_edges(mesh);
  vorticity_weight.assign(mesh.n_vertices(), {});
  sharp_vorticity_weight = vorticity_weight;
  for (LocalIndex vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
    auto& edges = vorticity_edges[vertex];
    if (std::ranges::find(edges, kNone) != edges.end()) {  // beyond the halo: no weights
      edges.fill(0);
      continue;
    }
    const Vector3 point = mesh.vertex_points[vertex],
                  first_cell = mesh.cell_points[cells_on_vertex[vertex][0]],
                  axis_x = normalized(cross(point, first_cell));
    const double scale = mesh.dc_edge[edges[0]];
    std::array<Components, kVorticityEdges> components;
    NormalEquations<kFields> equations;
    for (int j = 0; j < kVorticityEdges; ++j) {
      components[j] = normal_components(mesh, edges[j], point, axis_x, scale);
      equations.add(components[j]);
    }
    const bool is_determined = equations.factorize();
    for (const bool sharp : {false, true}) {
      auto weights = circulation_weights(mesh, edges, vertex, sharp ? 1 : 0);
      Components missing{0, 0, 2 / scale, 0, 0, 0};  // exact vorticities, minus those of the weights
      for (int j = 0; j < kVorticityEdges; ++j)
        for (int a = 0; a < kFields; ++a) missing[a] -= components[j][a] * weights[j];
      const Components solved = is_determined ? equations.solve(missing) : Components{};
      auto& result = (sharp ? sharp_vorticity_weight : vorticity_weight)[vertex];
      for (int j = 0; j < kVorticityEdges; ++j) {
        for (int a = 0; a < kFields; ++a) weights[j] += components[j][a] * solved[a];
        result[j] = static_cast<Real>(weights[j] / radius);
      }
    }
  }
}

template void HorizontalMesh<double>::set_vorticity(const mesh::Mesh&, double);
template void HorizontalMesh<float>::set_vorticity(const mesh::Mesh&, double);

}  // namespace halcyon::operators
