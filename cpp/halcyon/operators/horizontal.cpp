#include "halcyon/operators/horizontal.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::operators {

namespace {

void require_globe(const decomposition::LocalMesh& local) {
  const auto& m = local.mesh;
  const auto end = m.cell_offsets[local.part.cells().n_owned];
  require<InputError>(std::ranges::find(m.cells_on_cell.begin(), m.cells_on_cell.begin() + end, kNone) ==
                          m.cells_on_cell.begin() + end,
                      "The mesh ends at an outer boundary. Its operators need a mesh of the whole globe.");
}

double outward(const mesh::Mesh& mesh, LocalIndex edge, LocalIndex cell) {
  return mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
}

}  // namespace

template <class Real>
Horizontal<Real>::Horizontal(const decomposition::LocalMesh& local, double radius) {
  require<ConfigError>(std::isfinite(radius) && radius > 0,
                       "A sphere of radius {} m. Give a finite radius of more than 0.", radius);
  require_globe(local);
  list_cells(local.mesh, radius);
  list_edges(local.mesh, radius);
  list_vertices(local.mesh, radius);
}

template <class Real>
void Horizontal<Real>::list_cells(const mesh::Mesh& mesh, double radius) {
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
void Horizontal<Real>::list_edges(const mesh::Mesh& mesh, double radius) {
  cells_on_edge = mesh.cells_on_edge;
  vertices_on_edge = mesh.vertices_on_edge;
  edges_on_edge = mesh.edges_on_edge;
  tangent_weight.assign(mesh.weights_on_edge.begin(), mesh.weights_on_edge.end());
  edge_offsets.assign(1, 0);
  for (LocalIndex edge = 0; edge < mesh.n_edges(); ++edge) {
    const auto first = cells_on_edge[edge][0];
    const auto of_first = first == kNone ? 0 : cell_offsets[first + 1] - cell_offsets[first] - 1;
    edge_offsets.push_back(mesh.edge_offsets[edge] + of_first);
    edge_offsets.push_back(mesh.edge_offsets[edge + 1]);
    over_distance.push_back(static_cast<Real>(1 / (mesh.dc_edge[edge] * radius)));
    over_length.push_back(static_cast<Real>(1 / (mesh.dv_edge[edge] * radius)));
    spacing.push_back(static_cast<Real>(mesh.dc_edge[edge] * radius));
  }
}

template <class Real>
void Horizontal<Real>::list_vertices(const mesh::Mesh& mesh, double radius) {
  cells_on_vertex = mesh.cells_on_vertex;
  edges_on_vertex = mesh.edges_on_vertex;
  for (LocalIndex vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
    const double area = mesh.area_triangle[vertex];
    vertex_area.push_back(area * radius * radius);
    auto& around = circulation.emplace_back();
    auto& kites = kite_share.emplace_back();
    auto& energy = vertex_energy_share.emplace_back();
    for (int j = 0; j < 3; ++j) {
      kites[j] = static_cast<Real>(mesh.kite_areas_on_vertex[vertex][j] / area);
      const auto edge = edges_on_vertex[vertex][j];
      if (edge == kNone) continue;  // beyond the halo
      const double towards = mesh.vertices_on_edge[edge][1] == vertex ? 1 : -1;
      around[j] = static_cast<Real>(towards * mesh.dc_edge[edge] / (area * radius));
      energy[j] = static_cast<Real>(mesh.dv_edge[edge] * mesh.dc_edge[edge] / (4 * area));
    }
  }
}

template <class Real>
std::int64_t Horizontal<Real>::memory_bytes() const {
  return static_cast<std::int64_t>(edges_on_cell.size() * (2 * sizeof(LocalIndex) + 5 * sizeof(Real)) +
                                   edges_on_edge.size() * (sizeof(LocalIndex) + sizeof(Real)));
}

template struct Horizontal<double>;
template struct Horizontal<float>;

}  // namespace halcyon::operators
