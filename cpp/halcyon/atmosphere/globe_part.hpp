#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/atmosphere/core.hpp"
#include "halcyon/atmosphere/energy.hpp"
#include "halcyon/atmosphere/horizontal.hpp"
#include "halcyon/atmosphere/time_step.hpp"
#include "halcyon/base/exact_sum.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::atmosphere {

/// What every set of equations needs of one rank's part of the globe.
template <class Real>
class GlobePart {
 public:
  /// @throws InputError where the mesh does not cover the globe
  GlobePart(const comm::Communicator& comm, const decomposition::LocalMesh& local,
            const CoreOptions& options);

  LocalIndex n_local(int kind) const { return decomposition.shares[kind].size(); }
  std::size_t n_held(int kind, int n_levels) const {
    return static_cast<std::size_t>(n_local(kind)) * n_levels;
  }

  /// f [s-1] (vertex) of a planet that turns around an axis.
  std::vector<Real> coriolis(Vector3 axis) const;
  /// The mean of a wind along an owned edge, across it: Gauss and Legendre's rule of three points.
  double mean_across(const std::function<Vector3(Vector3)>& wind, LocalIndex edge) const;
  /// The wind at the centre of an owned cell, on the tangent plane [m s-1], of a wind (edge, level).
  std::array<double, 2> eastward_northward(std::span<const Real> wind, int n_levels, LocalIndex cell,
                                           int level) const;
  /// The angular momentum around the axis of a unit of mass in a cell [m2 s-1].
  double angular_momentum(LocalIndex cell, std::array<double, 2> wind, Vector3 axis) const;
  /// The fastest normal wind [m s-1] on the edges of a cell; NaN where one is not finite.
  double fastest(std::span<const Real> wind, int n_levels, LocalIndex cell, int level) const;
  /// Collective. The sums of all ranks.
  std::vector<double> totals(std::span<ExactSum> sums) const;

  comm::Communicator comm;
  CoreOptions options;
  decomposition::Decomposition decomposition;
  LocalIndex n_cells, n_edges, n_vertices;  ///< owned
  std::vector<Vector3> cell_points, edge_points, vertex_points;
  Horizontal<Real> mesh;
  Energy<Real> energy;
  StepLimits limits;

 private:
  void reconstruct(const mesh::Mesh& whole, LocalIndex cell);

  std::vector<std::array<Real, 2>> eastward_northward_;  ///< of a wind at the centre (edge of an owned cell)
  std::vector<Vector3> edge_normals_;
  std::vector<std::array<Vector3, 2>> edge_ends_;  ///< (owned edge)
};

}  // namespace halcyon::atmosphere
