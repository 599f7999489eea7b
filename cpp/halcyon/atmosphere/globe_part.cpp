#include "halcyon/atmosphere/globe_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

template <class Real>
GlobePart<Real>::GlobePart(const comm::Communicator& given_comm, const decomposition::LocalMesh& local,
                           const CoreOptions& given)
    : comm(given_comm),
      options(given),
      n_cells(local.part.shares[0].n_owned),
      n_edges(local.part.shares[1].n_owned),
      n_vertices(local.part.shares[2].n_owned),
      cell_points(local.mesh.cell_points),
      vertex_points(local.mesh.vertex_points),
      mesh(local, given.planet.radius),
      energy(mesh, given.scheme.vertex_energy),
      vectors(local),
      limits(local.mesh, n_cells, given.planet, given.scheme) {
  turn_around({0, 0, 1});
}

template <class Real>
void GlobePart<Real>::turn_around(Vector3 axis) {
  axis_ = axis;
  coriolis.clear();
  for (const auto point : vertex_points)
    coriolis.push_back(static_cast<Real>(2 * options.planet.rotation * dot(axis, point)));
}

template <class Real>
double GlobePart<Real>::angular_momentum(LocalIndex cell, std::array<double, 2> wind) const {
  const auto& planet = options.planet;
  const Vector3 p = cell_points[cell], around = cross(axis_, p);
  const Vector3 east = normalized(cross({0, 0, 1}, p)), velocity = wind[0] * east + wind[1] * cross(p, east);
  const double turning = planet.rotation * planet.radius * dot(around, around);
  return planet.radius * (dot(velocity, around) + turning);
}

template <class Real>
double GlobePart<Real>::fastest(std::span<const Real> wind, int n_levels, LocalIndex cell, int level) const {
  double most = 0;
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const auto at = static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level;
    const double across = std::abs(double{wind[at]});
    if (!std::isfinite(across)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, across);
  }
  return most;
}

template class GlobePart<double>;
template class GlobePart<float>;

}  // namespace halcyon::atmosphere
