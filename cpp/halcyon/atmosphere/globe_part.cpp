#include "halcyon/atmosphere/globe_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halcyon::atmosphere {

template <class Real>
GlobePart<Real>::GlobePart(const comm::Communicator& given_comm, const decomposition::LocalMesh& local,
                           const CoreOptions& given)
    : comm(given_comm),
      options(given),
      decomposition(local.part),
      n_cells(local.part.shares[0].n_owned),
      n_edges(local.part.shares[1].n_owned),
      n_vertices(local.part.shares[2].n_owned),
      cell_points(local.mesh.cell_points),
      vertex_points(local.mesh.vertex_points),
      mesh(local, given.planet),
      energy(mesh, given.scheme.vertex_energy),
      limits(local.mesh, n_cells, given.planet, given.scheme) {
  for (LocalIndex e = 0; e < n_edges; ++e) {
    const auto [from, to] = local.mesh.cells_on_edge[e];
    const auto [right, left] = local.mesh.vertices_on_edge[e];
    edge_points.push_back(normalized(vertex_points[right] + vertex_points[left]));
    edge_normals_.push_back(normalized(cell_points[to] - cell_points[from]));
    edge_ends_.push_back({vertex_points[right], vertex_points[left]});
  }
  for (LocalIndex cell = 0; cell < n_cells; ++cell) reconstruct(local.mesh, cell);
}

template <class Real>
std::vector<Real> GlobePart<Real>::coriolis(Vector3 axis) const {
  std::vector<Real> f;
  for (const auto point : vertex_points)
    f.push_back(static_cast<Real>(2 * options.planet.rotation * dot(axis, point)));
  return f;
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
