#include "halcyon/operators/horizontal.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/base/normal_equations.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::operators {
namespace {

void require_global_mesh(const decomposition::LocalMesh& local) {
  const auto& m = local.mesh;
  const auto end = m.cell_offsets[local.part.cells().n_owned];
  require<InputError>(std::ranges::find(m.cells_on_cell.begin(), m.cells_on_cell.begin() + end, kNone) ==
                          m.cells_on_cell.begin() + end,
                      "The mesh has an outer boundary. Give a mesh of the whole globe.");
}

/// n_ei: 1 where the normal of the edge points out of the cell, else -1
double outward(const mesh::Mesh& mesh, LocalIndex edge, LocalIndex cell) {
  return mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
}

}  // namespace

template <class Real>
HorizontalMesh<Real>::HorizontalMesh(const decomposition::LocalMesh& local, double radius) {
  require<ConfigError>(std::isfinite(radius) && radius > 0,
                       "The radius of the sphere is {} m. Give a finite radius above 0.", radius);
  require_global_mesh(local);
  set_cells(local.mesh, radius);
  set_edges(local.mesh, radius);
  set_vertices(local.mesh, radius);
  set_vorticity(local.mesh, radius);
}

template <class Real>
void HorizontalMesh<Real>::set_cells(const mesh::Mesh& mesh, double radius) {
  cell_offsets = mesh.cell_offsets;
  edges_on_cell = mesh.edges_on_cell;
  vertices_on_cell = mesh.vertices_on_cell;
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    const double area = mesh.area_cell[cell];
    cell_area.push_back(area * radius * radius);
    for (auto i = cell_offsets[cell]; i < cell_offsets[cell + 1]; ++i) {
      const auto edge = edges_on_cell[i];
      const double length = mesh.dv_edge[edge];
      outward_length.push_back(static_cast<Real>(outward(mesh, edge, cell) * length / (area * radius)));
      energy_share.push_back(static_cast<Real>(length * mesh.dc_edge[edge] / (4 * area)));
      vertex_share.push_back(static_cast<Real>(mesh::kite_area(mesh, cell, vertices_on_cell[i]) / area));
    }
  }
}

template <class Real>
void HorizontalMesh<Real>::set_edges(const mesh::Mesh& mesh, double radius) {
  cells_on_edge = mesh.cells_on_edge;
  vertices_on_edge = mesh.vertices_on_edge;
  edges_on_edge = mesh.edges_on_edge;
  tangent_weight.assign(mesh.weights_on_edge.begin(), mesh.weights_on_edge.end());
  edge_offsets.assign(1, 0);
  for (LocalIndex edge = 0; edge < mesh.n_edges(); ++edge) {
    const auto cell_1 = cells_on_edge[edge][0];
    const auto n_other_edges = cell_1 == kNone ? 0 : cell_offsets[cell_1 + 1] - cell_offsets[cell_1] - 1;
    edge_offsets.push_back(mesh.edge_offsets[edge] + n_other_edges);
    edge_offsets.push_back(mesh.edge_offsets[edge + 1]);
    inverse_distance.push_back(static_cast<Real>(1 / (mesh.dc_edge[edge] * radius)));
    inverse_length.push_back(static_cast<Real>(1 / (mesh.dv_edge[edge] * radius)));
    spacing.push_back(static_cast<Real>(mesh.dc_edge[edge] * radius));
  }
}

template <class Real>
void HorizontalMesh<Real>::set_vertices(const mesh::Mesh& mesh, double radius) {
  cells_on_vertex = mesh.cells_on_vertex;
  edges_on_vertex = mesh.edges_on_vertex;
  for (LocalIndex vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
    const double area = mesh.area_triangle[vertex];
    vertex_area.push_back(area * radius * radius);
    auto& circulations = circulation.emplace_back();
    auto& kites = kite_share.emplace_back();
    auto& energy = vertex_energy_share.emplace_back();
    for (int j = 0; j < 3; ++j) {
      kites[j] = static_cast<Real>(mesh.kite_areas_on_vertex[vertex][j] / area);
      const auto edge = edges_on_vertex[vertex][j];
      if (edge == kNone) continue;  // beyond the halo
      const double t_ev = mesh.vertices_on_edge[edge][1] == vertex ? 1 : -1;
      circulations[j] = static_cast<Real>(t_ev * mesh.dc_edge[edge] / (area * radius));
      energy[j] = static_cast<Real>(mesh.dv_edge[edge] * mesh.dc_edge[edge] / (4 * area));
    }
  }
}

template <class Real>
std::int64_t HorizontalMesh<Real>::memory_bytes() const {
  return static_cast<std::int64_t>(edges_on_cell.size() * (2 * sizeof(LocalIndex) + 5 * sizeof(Real)) +
                                   edges_on_edge.size() * (sizeof(LocalIndex) + sizeof(Real)));
}

template struct HorizontalMesh<double>;
template struct HorizontalMesh<float>;

template <class Real>
KineticEnergyWeights<Real>::KineticEnergyWeights(const HorizontalMesh<Real>& mesh, double b) : offsets{0} {
  for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
    std::vector<LocalIndex> cell_edges;
    std::vector<double> sums;
    const auto add = [&](LocalIndex edge, double weight) {
      const auto index = std::ranges::find(cell_edges, edge) - cell_edges.begin();
      if (index == std::ssize(cell_edges)) cell_edges.push_back(edge), sums.push_back(0);
      sums[index] += weight;
    };
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
      add(mesh.edges_on_cell[j], (1 - b) * mesh.energy_share[j]);
    for (auto j = mesh.cell_offsets[i]; b != 0 && j < mesh.cell_offsets[i + 1]; ++j) {
      const auto v = mesh.vertices_on_cell[j];
      for (int k = 0; k < 3; ++k) {
        const auto edge = mesh.edges_on_vertex[v][k];
        if (edge != kNone) add(edge, b * mesh.vertex_share[j] * mesh.vertex_energy_share[v][k]);
      }
    }
    edges.insert(edges.end(), cell_edges.begin(), cell_edges.end());
    for (const double sum : sums) weights.push_back(static_cast<Real>(sum));
    offsets.push_back(static_cast<LocalIndex>(edges.size()));
  }
}

template <class Real>
KineticEnergyWeights<Real>::KineticEnergyWeights(const HorizontalMesh<Real>& mesh, double b,
                                                 const mesh::Mesh& points)
    : KineticEnergyWeights(mesh, b) {
  if (b == 0) return;
  constexpr int kTerms = 9;  // n_x^2, n_y^2, n_x n_y of the normal n of an edge, and each times x and y
  using Terms = NormalEquations<kTerms>;
  for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
    const Vector3 centre = points.cell_points[i],
                  axis_x = normalized(
                      cross(centre, points.vertex_points[mesh.vertices_on_cell[mesh.cell_offsets[i]]])),
                  axis_y = cross(centre, axis_x);
    const double scale = points.dc_edge[edges[offsets[i]]];
    std::vector<Terms::Row> terms;
    Terms equations;
    Terms::Row missing{0.5, 0.5};  // exact sums, minus those of the weights
    for (auto j = offsets[i]; j < offsets[i + 1]; ++j) {
      const auto [right, left] = points.vertices_on_edge[edges[j]];
      const Vector3 from = points.vertex_points[right], to = points.vertex_points[left],
                    point = normalized(from + to), normal = normalized(cross(to - from, point));
      const double nx = dot(normal, axis_x), ny = dot(normal, axis_y), x = dot(point, axis_x) / scale,
                   y = dot(point, axis_y) / scale, xx = nx * nx, yy = ny * ny, xy = nx * ny;
      const auto& term =
          terms.emplace_back(Terms::Row{xx, yy, xy, xx * x, yy * x, xy * x, xx * y, yy * y, xy * y});
      equations.add(term);
      for (int a = 0; a < kTerms; ++a) missing[a] -= term[a] * weights[j];
    }
    if (!equations.factorize()) continue;
    const auto solved = equations.solve(missing);
    for (std::size_t e = 0; e < terms.size(); ++e) {
      double sum = weights[offsets[i] + e];
      for (int a = 0; a < kTerms; ++a) sum += terms[e][a] * solved[a];
      weights[offsets[i] + e] = static_cast<Real>(sum);
    }
  }
}

template struct KineticEnergyWeights<double>;
template struct KineticEnergyWeights<float>;

template <class Real>
VectorReconstruction<Real>::VectorReconstruction(const decomposition::LocalMesh& local) {
  const auto& mesh = local.mesh;
  for (LocalIndex e = 0; e < local.part.index_maps[/*edges=*/1].n_owned; ++e) {
    const auto [from, to] = mesh.cells_on_edge[e];
    const auto [right, left] = mesh.vertices_on_edge[e];
    normals_.push_back(normalized(mesh.cell_points[to] - mesh.cell_points[from]));
    ends_.push_back({mesh.vertex_points[right], mesh.vertex_points[left]});
  }
  for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) fit_weights(mesh, cell);
}

template <class Real>
double VectorReconstruction<Real>::mean_normal_component(const std::function<Vector3(Vector3)>& field,
                                                         LocalIndex edge) const {
  static const double outer = (1 - std::sqrt(0.6)) / 2;  // outer node of the quadrature on 0 .. 1
  const auto [right, left] = ends_[edge];
  const auto component = [&](double right_weight, double left_weight) {
    return dot(field(normalized(right_weight * right + left_weight * left)), normals_[edge]);
  };
  return (8 * component(0.5, 0.5) + 5 * (component(1 - outer, outer) + component(outer, 1 - outer))) / 18;
}

/// Computes the least-squares weights of a cell. The normal of an edge is along the great circle between its
/// two cells; its angle from east is taken at the centre of this cell.
template <class Real>
void VectorReconstruction<Real>::fit_weights(const mesh::Mesh& mesh, LocalIndex cell) {
  const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  double cc = 0, cs = 0, ss = 0;  // elements of the normal matrix
  std::vector<std::array<double, 2>> directions;
  for (auto i = begin; i < end; ++i) {
    const Vector3 centre = mesh.cell_points[cell], neighbour = mesh.cell_points[mesh.cells_on_cell[i]];
    const double angle = mesh::angle_from_east(centre, neighbour - centre);
    const double c = std::cos(angle), s = std::sin(angle);
    directions.push_back({c, s});
    cc += c * c, cs += c * s, ss += s * s;
  }
  const double determinant = cc * ss - cs * cs;
  for (auto i = begin; i < end; ++i) {
    const auto [c, s] = directions[i - begin];
    const bool is_outward = mesh.cells_on_edge[mesh.edges_on_cell[i]][0] == cell;
    const double factor = (is_outward ? 1.0 : -1.0) / determinant;
    weights_.push_back(
        {static_cast<Real>(factor * (ss * c - cs * s)), static_cast<Real>(factor * (cc * s - cs * c))});
  }
}

template <class Real>
std::array<double, 2> VectorReconstruction<Real>::eastward_northward(const HorizontalMesh<Real>& mesh,
                                                                     std::span<const Real> u, int n_levels,
                                                                     LocalIndex cell, int level) const {
  std::array<double, 2> sum{};
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const double value = u[static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level];
    for (int c = 0; c < 2; ++c) sum[c] += double{weights_[j][c]} * value;
  }
  return sum;
}

template <class Real>
void VectorReconstruction<Real>::eastward_northward(const HorizontalMesh<Real>& mesh, std::span<const Real> u,
                                                    int n_levels, LocalIndex cell, std::span<double> eastward,
                                                    std::span<double> northward) const {
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const auto* values = &u[static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels];
    const double east = weights_[j][0], north = weights_[j][1];
    const bool is_first = j == mesh.cell_offsets[cell];
    for (int k = 0; k < n_levels; ++k) {
      const double value = values[k];
      eastward[k] = (is_first ? 0 : eastward[k]) + east * value;
      northward[k] = (is_first ? 0 : northward[k]) + north * value;
    }
  }
}

template class VectorReconstruction<double>;
template class VectorReconstruction<float>;

double cell_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius) {
  double sum = 0;
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto edge = mesh.edges_on_cell[i];
    sum += mesh.dv_edge[edge] / mesh.dc_edge[edge];
  }
  return 2 * sum / (mesh.area_cell[cell] * (radius * radius));
}

double vertex_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius) {
  double largest = 0;
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto vertex = mesh.vertices_on_cell[i];
    double sum = 0;
    for (const auto edge : mesh.edges_on_vertex[vertex])
      if (edge != kNone) sum += mesh.dc_edge[edge] / mesh.dv_edge[edge];
    largest = std::max(largest, 2 * sum / mesh.area_triangle[vertex]);
  }
  return largest / (radius * radius);
}

}  // namespace halcyon::operators
