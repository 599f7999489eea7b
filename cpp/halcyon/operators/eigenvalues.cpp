#include "halcyon/operators/eigenvalues.hpp"

#include <algorithm>

namespace halcyon::operators {

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
