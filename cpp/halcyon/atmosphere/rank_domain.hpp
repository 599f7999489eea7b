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

/// Stability limits of the time step. Gravity waves of speed c have frequencies up to c sqrt(lambda), where
/// lambda, the largest eigenvalue of the discrete Laplacian, is at most max_i 2/A_i sum_e l_e/d_e
/// (Gershgorin); the wind speed adds to c. The scheme of Wicker and Skamarock (2002) is stable for frequency
/// times dt up to sqrt(3). Explicit dissipation is stable for lambda nu dt up to 2; for the rotational part
/// of the wind, lambda is the eigenvalue of the Laplacian at vertices, about three times as large.
class StepLimits {
 public:
  StepLimits(const mesh::Mesh& mesh, LocalIndex n_cells, const Planet& planet, const Scheme& scheme)
      : wind_margin_(scheme.sharp_vorticity && scheme.anticipation > 0 ? kSharpVorticityMargin : 1) {
    for (LocalIndex cell = 0; cell < n_cells; ++cell) {
      double max_spacing = 0;
      for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i)
        max_spacing = std::max(max_spacing, mesh.dc_edge[mesh.edges_on_cell[i]] * planet.radius);
      const double lambda = operators::cell_laplacian_bound(mesh, cell, planet.radius);
      const double lambda_max =
          std::max(lambda, operators::vertex_laplacian_bound(mesh, cell, planet.radius));
      const double dissipation =
          max_spacing * (lambda_max * scheme.diffusion + lambda * scheme.divergence_damping) +
          std::max(lambda_max * scheme.viscosity, lambda * scheme.scalar_viscosity) +
          lambda_max * lambda_max * max_spacing * max_spacing * max_spacing * scheme.hyperdiffusion;
      per_distance_.push_back(std::sqrt(lambda / 3));
      dissipation_.push_back(dissipation / 2);
    }
  }

  /// Courant number per second of time step: a step dt with dt * rate > 1 may be unstable.
  double rate(LocalIndex cell, double wave_speed, double wind_speed) const {
    const double speed = std::max(wave_speed + wind_speed, wind_margin_ * wind_speed);
    return speed * per_distance_[cell] + dissipation_[cell];
  }

  /// Courant number per second of time step for implicit gravity waves: explicit terms have frequencies up to
  /// |u| sqrt(lambda) + |f|, and the scheme (Imex) is stable for frequency times dt up to 3/2.
  /// @param speed |u| [m s-1]  @param coriolis |f| [s-1]
  double semi_implicit_rate(LocalIndex cell, double speed, double coriolis) const {
    return (kRungeKuttaLimit * speed * per_distance_[cell] + coriolis) / kSemiImplicitLimit +
           dissipation_[cell];
  }

  /// Vertical Courant number per second of time step, relative to the stability limit 1.6 of third-order
  /// fluxes (Wicker and Skamarock 2002, table 1). @param flux_rate vertical mass flux / layer mass [s-1]
  static double vertical_rate(double flux_rate) { return flux_rate / 1.6; }

 private:
  /// Anticipated sharp vorticity on a flow much faster than its waves: steps were stable up to 0.88 of the
  /// limit of waves with the speed of the wind, near pentagons.
  static constexpr double kSharpVorticityMargin = 1.25;
  static constexpr double kRungeKuttaLimit = 1.7320508075688772, kSemiImplicitLimit = 1.5;

  double wind_margin_;
  std::vector<double> per_distance_;  ///< sqrt(lambda / 3) [m-1] (cell)
  std::vector<double> dissipation_;   ///< lambda nu / 2 [s-1] (cell)
};

/// The rank's part of the mesh, with the operators and step limits that all equation sets use.
template <class Real>
class RankDomain {
 public:
  /// @throws InputError if the mesh does not cover the sphere
  RankDomain(const comm::Communicator& communicator, const decomposition::LocalMesh& local,
             const CoreOptions& core_options)
      : comm(communicator),
        options(core_options),
        n_cells(local.part.index_maps[kCells].n_owned),
        n_edges(local.part.index_maps[kEdges].n_owned),
        n_vertices(local.part.index_maps[kVertices].n_owned),
        cell_points(local.mesh.cell_points),
        vertex_points(local.mesh.vertex_points),
        mesh(local, core_options.planet.radius),
        energy(mesh, core_options.scheme.vertex_share(), local.mesh),
        vectors(local),
        limits(local.mesh, n_cells, core_options.planet, core_options.scheme) {
    set_rotation_axis({0, 0, 1});
  }

  /// Number of values of a field on all local items of a kind.
  std::size_t field_size(ItemKind kind, int n_levels) const {
    return static_cast<std::size_t>(mesh.n_items()[kind]) * n_levels;
  }

  /// Sets the planet's axis of rotation.
  void set_rotation_axis(Vector3 axis) {
    axis_ = axis;
    coriolis.clear();
    for (const auto point : vertex_points)
      coriolis.push_back(static_cast<Real>(2 * options.planet.rotation * dot(axis, point)));
  }
  /// Eastward and northward wind [m s-1] at an owned cell, reconstructed from normal winds (edge, level).
  std::array<double, 2> eastward_northward(std::span<const Real> wind, int n_levels, LocalIndex cell,
                                           int level) const {
    return vectors.eastward_northward(mesh, wind, n_levels, cell, level);
  }
  /// Specific angular momentum around the axis of rotation in a cell [m2 s-1].
  /// @param wind eastward, northward [m s-1]
  double angular_momentum(LocalIndex cell, std::array<double, 2> wind) const {
    const auto& planet = options.planet;
    const Vector3 p = cell_points[cell], zonal = cross(axis_, p);
    const Vector3 east = normalized(cross({0, 0, 1}, p)),
                  velocity = wind[0] * east + wind[1] * cross(p, east);
    const double planetary = planet.rotation * planet.radius * dot(zonal, zonal);
    return planet.radius * (dot(velocity, zonal) + planetary);
  }
  /// Largest normal wind [m s-1] on the edges of a cell; NaN if one is not finite.
  double max_normal_wind(std::span<const Real> wind, int n_levels, LocalIndex cell, int level) const {
    double maximum = 0;
    for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
      const auto index = static_cast<std::size_t>(mesh.edges_on_cell[j]) * n_levels + level;
      const double speed = std::abs(double{wind[index]});
      if (!std::isfinite(speed)) return std::numeric_limits<double>::quiet_NaN();
      maximum = std::max(maximum, speed);
    }
    return maximum;
  }

  comm::Communicator comm;
  CoreOptions options;
  LocalIndex n_cells, n_edges, n_vertices;  ///< numbers of owned items; the arrays also cover the halo
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
