#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "halcyon/atmosphere/core.hpp"
#include "halcyon/atmosphere/options.hpp"
#include "halcyon/mesh/mesh.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::atmosphere {

/// How long a step may be. Gravity waves of speed c have frequencies up to c sqrt(lambda), where lambda, the
/// largest eigenvalue of the discrete Laplacian, is at most 2/A_i sum_e l_e/d_e at some cell (Gershgorin),
/// and the scheme of Wicker and Skamarock (2002) is stable up to dt sqrt(3) of them; wind adds to c.
/// Dissipation, which is explicit, takes its part: lambda nu dt is kept below 2, with lambda of the Laplacian
/// of the vertices where that is larger, some three times, and turning winds are damped too.
class StepLimits {
 public:
  StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet, const Scheme& scheme) {
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

  /// The Courant number of a second at a cell, of waves and wind together [m s-1]: above 1 / dt a step is not
  /// known to be stable.
  double rate(LocalIndex cell, double speed) const {
    return speed * per_distance_[cell] + dissipation_[cell];
  }

  /// The same where gravity waves are implicit: what is left has frequencies up to |u| sqrt(lambda) + |f|,
  /// and Imex is stable up to dt 3/2 of them.
  ///   u [m s-1], f [s-1]
  double semi_implicit_rate(LocalIndex cell, double speed, double turning) const {
    return (kRungeKuttaLimit * speed * per_distance_[cell] + turning) / kSemiImplicitLimit +
           dissipation_[cell];
  }

  /// The same of what passes an interface of what a layer beside it holds [s-1]: fluxes of third order are
  /// stable up to 1.6 of it a step (Wicker and Skamarock 2002, table 1), those of second up to more.
  static double vertical_rate(double passing) { return passing / 1.6; }

 private:
  static constexpr double kRungeKuttaLimit = 1.7320508075688772, kSemiImplicitLimit = 1.5;

  std::vector<double> per_distance_;  ///< [m-1] (cell)
  std::vector<double> dissipation_;   ///< [s-1] (cell)
};

/// What every set of equations needs of one rank's part of the globe.
template <class Real>
class GlobePart {
 public:
  /// @throws InputError where the mesh does not cover the globe
  GlobePart(const comm::Communicator& given_comm, const decomposition::LocalMesh& local,
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

  /// How many numbers a field of cells, edges or vertices has.
  std::size_t n_held(int kind, int n_levels) const {
    return static_cast<std::size_t>(mesh.n_items()[kind]) * n_levels;
  }

  /// Turns the planet around an axis.
  void turn_around(Vector3 axis) {
    axis_ = axis;
    coriolis.clear();
    for (const auto point : vertex_points)
      coriolis.push_back(static_cast<Real>(2 * options.planet.rotation * dot(axis, point)));
  }
  /// The wind at the centre of an owned cell, on the tangent plane [m s-1], of a wind (edge, level).
  std::array<double, 2> eastward_northward(std::span<const Real> wind, int n_levels, LocalIndex cell,
                                           int level) const {
    return vectors.eastward_northward(mesh, wind, n_levels, cell, level);
  }
  /// The angular momentum around the axis of a unit of mass in a cell [m2 s-1].
  double angular_momentum(LocalIndex cell, std::array<double, 2> wind) const {
    const auto& planet = options.planet;
    const Vector3 p = cell_points[cell], around = cross(axis_, p);
    const Vector3 east = normalized(cross({0, 0, 1}, p)),
                  velocity = wind[0] * east + wind[1] * cross(p, east);
    const double turning = planet.rotation * planet.radius * dot(around, around);
    return planet.radius * (dot(velocity, around) + turning);
  }
  /// The fastest normal wind [m s-1] on the edges of a cell; NaN where one is not finite.
  double fastest(std::span<const Real> wind, int n_levels, LocalIndex cell, int level) const {
    double most = 0;
    for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
      const auto at = static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level;
      const double across = std::abs(double{wind[at]});
      if (!std::isfinite(across)) return std::numeric_limits<double>::quiet_NaN();
      most = std::max(most, across);
    }
    return most;
  }

  comm::Communicator comm;
  CoreOptions options;
  LocalIndex n_cells, n_edges, n_vertices;  ///< owned
  std::vector<Vector3> cell_points, vertex_points;
  operators::HorizontalMesh<Real> mesh;
  operators::KineticEnergyWeights<Real> energy;
  operators::VectorReconstruction<Real> vectors;
  StepLimits limits;
  std::vector<Real> coriolis;  ///< f [s-1] (vertex)

 private:
  Vector3 axis_;
};

}  // namespace halcyon::atmosphere
