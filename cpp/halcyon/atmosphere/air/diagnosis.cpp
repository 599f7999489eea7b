#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/decomposition/tiling.hpp"

namespace halcyon::atmosphere {

using decomposition::give;

namespace {

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

}  // namespace

/// Collective. Brings the halo of the present state, and what follows from it around the owned cells.
template <class Real>
void AirCore<Real>::diagnose() {
  const bool looks = trouble_.cell == kNone;
  for_tiles(now_, [&](const Tile<Real>& tile, bool is_early) {
    const auto& vertices = tile.sweeps.vertices.part(is_early);
    const auto layers = mass(fields_.now);
    potential_vorticity(tile.mesh, vertices, n_levels_, fields_.coriolis, layers, fields_.now.u,
                        fields_.vorticity, fields_.pv);
    mass_flux(tile.mesh, tile.sweeps.fluxes.part(is_early), n_levels_, Real{0}, layers, fields_.now.u,
              fields_.pv, fields_.flux, fields_.pv_edge);
    columns_->diagnose(tile.sweeps.energies.part(is_early),
                       {tile, fields_.now, now_, now_, kept_.lift_old, Real{0}, Real{0}, false}, fields_);
    keep(tile, is_early);
    give<Real>(vertices, tile.vertices, n_levels_, fields_.vorticity, kept_.vorticity);
    give<Real>(vertices, tile.vertices, n_levels_, fields_.pv, kept_.pv);
    if (looks && !is_early) look(tile);
  });
  if (looks) look_at_tracers();
}

/// The temperature is the one by which the layer is as thick as it is: R T ln(p_{k+1/2} / p_{k-1/2}).
template <class Real>
auto AirCore<Real>::profile(LocalIndex cell) const -> Profile {
  const auto n = static_cast<std::size_t>(n_levels_);
  Profile found{.pressure = std::vector<double>(n),
                .exner = std::vector<double>(n),
                .temperature = std::vector<double>(n),
                .height = std::vector<double>(n),
                .interface_height = std::vector<double>(n + 1),
                .pressure_velocity = {}};
  const double ps = now_.ps[cell];
  found.interface_height[n] = kept_.ground[cell];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double theta = now_.theta[at(cell, k)], m = air_.hybrid.mass(k, ps);
    const double down = found.interface_height[k + 1];
    const auto [pressure, exner, up] = columns_->layer_of(now_, cell, k, down);
    found.pressure[k] = pressure;
    found.exner[k] = exner;
    found.interface_height[k] = up;
    found.temperature[k] = theta * found.exner[k] * m / air_.hybrid.layer(k, ps) /
                           std::log(air_.hybrid.interface(k + 1, ps) / air_.hybrid.interface(k, ps));
    found.height[k] = (up + down) / 2;
  }
  return found;
}

/// omega = u . grad(p) - (S_k + S_{k+1}) / 2,  S_k = sum_{j < k} div(F_j), of hydrostatic pressure (Simmons
/// and Burridge 1981)
template <class Real>
std::vector<double> AirCore<Real>::pressure_velocity(LocalIndex cell) const {
  const auto& mesh = part_.mesh;
  const auto& hybrid = air_.hybrid;
  const double ps = now_.ps[cell];
  std::vector<double> found;
  double outflow_above = 0;
  for (int k = 0; k < n_levels_; ++k) {
    double outflow = 0, along = 0;
    for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
      const auto e = mesh.edges_on_cell[j];
      const auto [first, second] = mesh.cells_on_edge[e];
      const double there = now_.ps[first == cell ? second : first];
      const double flux = double{mesh.outward_length[j]} * kept_.flux[at(e, k)];
      outflow += flux;
      along += flux * (hybrid.layer(k, there) - hybrid.layer(k, ps)) / 2;
    }
    found.push_back(along / hybrid.mass(k, ps) - outflow_above - outflow / 2);
    outflow_above += outflow;
  }
  return found;
}

/// M = sum m A/g,  E = sum (K + c_p T) m A/g + phi_s ps A/g, which is kinetic, internal and potential
/// energy and the work against the top's pressure, but for a constant; other sets as their columns say. Z =
/// sum_v A_v m_v q_v^2 / 2 with m in kg m-2,  L = sum m A/g a . (r x u + r^2 Omega)
template <class Real>
std::vector<double> AirCore<Real>::integrals() {
  diagnose();
  const double gravity = part_.options.planet.gravity;
  std::vector<ExactSum> sums(kIntegrals + air_.tracers.size());
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto column = profile(i);
    const double ps = now_.ps[i], area = part_.mesh.cell_area[i] / gravity;
    sums[kMass].add(area * (ps - air_.hybrid.top()));
    sums[kEnergy].add(area * columns_->boundary_energy(ps, kept_.ground[i], column.interface_height[0]));
    for (int k = 0; k < n_levels_; ++k) {
      const Block<Real, 1> rows(n_levels_, k);
      const double m = area * air_.hybrid.mass(k, ps);
      const double warm = now_.theta[at(i, k)] * column.exner[k];
      const double energy =
          kinetic_energy(part_.mesh, rows(now_.u), i) + columns_->energy(now_, i, k, warm, column.height[k]);
      sums[kEnergy].add(m * energy);
      for (int t = 0; t < n_tracers(); ++t) sums[kIntegrals + t].add(m * tracers_->values(t)[at(i, k)]);
      sums[kAngularMomentum].add(
          m * part_.angular_momentum(i, part_.eastward_northward(now_.u, n_levels_, i, k)));
    }
  }
  for (LocalIndex v = 0; v < part_.n_vertices; ++v) {
    for (int k = 0; k < n_levels_; ++k) {
      const Block<Real, 1> rows(n_levels_, k);
      const double m = at_vertex(part_.mesh, mass(now_)(rows), v), q = kept_.pv[at(v, k)];
      sums[kEnstrophy].add(part_.mesh.vertex_area[v] * gravity * m * q * q / 2);
    }
  }
  return comm::totals(part_.comm, sums);
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
