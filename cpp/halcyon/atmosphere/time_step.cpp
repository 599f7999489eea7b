#include "halcyon/atmosphere/time_step.hpp"

#include <cmath>

namespace halcyon::atmosphere {

StepLimits::StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet,
                       const Scheme& scheme) {
  for (LocalIndex cell = 0; cell < n_cells; ++cell) {
    double sum = 0, widest = 0;
    for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      const auto edge = mesh.edges_on_cell[i];
      sum += mesh.dv_edge[edge] / mesh.dc_edge[edge];
      widest = std::max(widest, mesh.dc_edge[edge] * planet.radius);
    }
    const double lambda = 2 * sum / (mesh.area_cell[cell] * planet.radius * planet.radius);
    const double damped = lambda * widest * (scheme.diffusion + scheme.divergence_damping) +
                          lambda * lambda * widest * widest * widest * scheme.hyperdiffusion;
    per_distance_.push_back(std::sqrt(lambda / 3));
    dissipation_.push_back(damped / 2);
  }
}

}  // namespace halcyon::atmosphere
