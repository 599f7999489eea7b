#include "halcyon/atmosphere/time_step.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

StepLimits::StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet,
                       const Scheme& scheme) {
  for (LocalIndex cell = 0; cell < n_cells; ++cell) {
    double widest = 0;
    for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i)
      widest = std::max(widest, mesh.dc_edge[mesh.edges_on_cell[i]] * planet.radius);
    const double lambda = operators::cell_laplacian_bound(mesh, cell, planet.radius);
    const double any = std::max(lambda, operators::vertex_laplacian_bound(mesh, cell, planet.radius));
    const double damped = widest * (any * scheme.diffusion + lambda * scheme.divergence_damping) +
                          any * any * widest * widest * widest * scheme.hyperdiffusion;
    per_distance_.push_back(std::sqrt(lambda / 3));
    dissipation_.push_back(damped / 2);
  }
}

}  // namespace halcyon::atmosphere
