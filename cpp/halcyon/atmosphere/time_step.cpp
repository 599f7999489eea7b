#include "halcyon/atmosphere/time_step.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::atmosphere {

namespace {

/// 2/A_v sum_e d_e/l_e of the Laplacian of the vertices on the unit sphere, the largest around a cell.
double turning_lambda(const mesh::Mesh& mesh, LocalIndex cell) {
  double largest = 0;
  for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const auto vertex = mesh.vertices_on_cell[i];
    double sum = 0;
    for (const auto edge : mesh.edges_on_vertex[vertex])
      if (edge != kNone) sum += mesh.dc_edge[edge] / mesh.dv_edge[edge];
    largest = std::max(largest, 2 * sum / mesh.area_triangle[vertex]);
  }
  return largest;
}

}  // namespace

StepLimits::StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet,
                       const Scheme& scheme) {
  for (LocalIndex cell = 0; cell < n_cells; ++cell) {
    double sum = 0, widest = 0;
    for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      const auto edge = mesh.edges_on_cell[i];
      sum += mesh.dv_edge[edge] / mesh.dc_edge[edge];
      widest = std::max(widest, mesh.dc_edge[edge] * planet.radius);
    }
    const double area = planet.radius * planet.radius, lambda = 2 * sum / (mesh.area_cell[cell] * area);
    const double any = std::max(lambda, turning_lambda(mesh, cell) / area);
    const double damped = widest * (any * scheme.diffusion + lambda * scheme.divergence_damping) +
                          any * any * widest * widest * widest * scheme.hyperdiffusion;
    per_distance_.push_back(std::sqrt(lambda / 3));
    dissipation_.push_back(damped / 2);
  }
}

}  // namespace halcyon::atmosphere
