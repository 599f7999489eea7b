#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/atmosphere/core.hpp"
#include "halcyon/atmosphere/time_step.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

/// What every set of equations needs of one rank's part of the globe.
template <class Real>
class GlobePart {
 public:
  /// @throws InputError where the mesh does not cover the globe
  GlobePart(const comm::Communicator& comm, const decomposition::LocalMesh& local,
            const CoreOptions& options);

  /// How many numbers a field of cells, edges or vertices has.
  std::size_t n_held(int kind, int n_levels) const {
    return static_cast<std::size_t>(mesh.n_items()[kind]) * n_levels;
  }

  /// Turns the planet around an axis.
  void turn_around(Vector3 axis);
  /// The wind at the centre of an owned cell, on the tangent plane [m s-1], of a wind (edge, level).
  std::array<double, 2> eastward_northward(std::span<const Real> wind, int n_levels, LocalIndex cell,
                                           int level) const {
    return vectors.eastward_northward(mesh, wind, n_levels, cell, level);
  }
  /// The angular momentum around the axis of a unit of mass in a cell [m2 s-1].
  double angular_momentum(LocalIndex cell, std::array<double, 2> wind) const;
  /// The fastest normal wind [m s-1] on the edges of a cell; NaN where one is not finite.
  double fastest(std::span<const Real> wind, int n_levels, LocalIndex cell, int level) const;

  comm::Communicator comm;
  CoreOptions options;
  LocalIndex n_cells, n_edges, n_vertices;  ///< owned
  std::vector<Vector3> cell_points, vertex_points;
  operators::Horizontal<Real> mesh;
  operators::Energy<Real> energy;
  operators::Vectors<Real> vectors;
  StepLimits limits;
  std::vector<Real> coriolis;  ///< f [s-1] (vertex)

 private:
  Vector3 axis_;
};

}  // namespace halcyon::atmosphere
