#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/decomposition/tiling.hpp"

namespace halcyon::atmosphere {

using decomposition::scatter_columns;

namespace {

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };
enum MoistIntegral { kDryAirMass = kIntegrals, kWaterMass, kMoistIntegrals = 2 };  ///< only in moist air

}  // namespace

/// Collective. Exchanges the halo of the present state and computes its diagnostic fields.
template <class Real>
void AirCore<Real>::diagnose() {
  const bool checks_state = failure_.cell == kNone;
  exchange_loading();
  for_tiles(now_, [&](const Tile<Real>& tile, bool is_inner) {
    const auto& vertices = tile.sweeps.vertices.part(is_inner);
    const auto layers = mass(tile_fields_.now);
    potential_vorticity(tile.mesh, vertices, n_levels_, /*sharp=*/false, tile_fields_.coriolis, layers,
                        tile_fields_.now.u, tile_fields_.vorticity, tile_fields_.pv);
    mass_flux(tile.mesh, tile.sweeps.fluxes.part(is_inner), n_levels_, /*upstream_time=*/Real{0}, layers,
              tile_fields_.now.u, tile_fields_.pv, tile_fields_.flux, tile_fields_.pv_edge);
    columns_->diagnose(
        tile.sweeps.energies.part(is_inner),
        {tile, tile_fields_.now, /*old=*/now_, /*next=*/now_, rank_fields_.acceleration_old, /*dt=*/Real{0},
         /*upstream_time=*/Real{0}, /*is_first=*/false},
        tile_fields_);
    store_tile_results(tile, is_inner);
    scatter_columns<Real>(vertices, tile.vertices, n_levels_, tile_fields_.vorticity, rank_fields_.vorticity);
    scatter_columns<Real>(vertices, tile.vertices, n_levels_, tile_fields_.pv, rank_fields_.pv);
    if (checks_state && !is_inner) check_state(tile);
  });
  if (checks_state) check_tracers();
}

/// Hydrostatic pressure at the interfaces of a cell [Pa], with the weight of the water.
template <class Real>
std::vector<double> AirCore<Real>::interface_pressures(LocalIndex cell) const {
  const double ps = now_.ps[cell];
  std::vector<double> result{air_.hybrid.interface_pressure(0, ps)};
  for_weights(
      air_.hybrid, ps, air_.moist, [&](int k) { return double{loading()[at_level(cell, k)]}; },
      [&](int, double, double lower, double) { result.push_back(lower); });
  return result;
}

/// The virtual temperature T_v of a layer follows from its thickness dphi = R T_v ln(p_{k+1/2} / p_{k-1/2}),
/// and T = T_v (1 + q_t) / (1 + R_v/R q_v)
template <class Real>
auto AirCore<Real>::profile(LocalIndex cell) const -> Profile {
  const auto n = static_cast<std::size_t>(n_levels_);
  Profile result;
  for (auto* values : {&result.pressure, &result.exner, &result.temperature, &result.virtual_temperature,
                       &result.theta_rho, &result.phi, &result.weight})
    values->resize(n);
  result.interface_phi.resize(n + 1);
  result.interface_pressure = interface_pressures(cell);
  result.interface_phi[n] = rank_fields_.surface_geopotential[cell];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const double upper_p = result.interface_pressure[k], lower_p = result.interface_pressure[k + 1],
                 p = (upper_p + lower_p) / 2, weight = lower_p - upper_p;
    const double load = air_.moist ? double{loading()[at_level(cell, k)]} : 1;
    const double theta = now_.theta[at_level(cell, k)] / load, lower_phi = result.interface_phi[k + 1];
    const auto [pressure, exner, upper_phi] =
        columns_->layer_of(now_, cell, k, {p, weight, theta, lower_phi});
    result.pressure[k] = pressure;
    result.exner[k] = exner;
    result.theta_rho[k] = theta;
    result.weight[k] = weight;
    result.interface_phi[k] = upper_phi;
    result.virtual_temperature[k] = theta * exner * weight / p / std::log(lower_p / upper_p);
    result.temperature[k] = result.virtual_temperature[k] * load / air_.air.vapour_factor(vapour(cell, k));
    result.phi[k] = (upper_phi + lower_phi) / 2;
  }
  return result;
}

/// omega = u . grad(p) - (S_k + S_{k+1}) / 2,  S_k = sum_{j < k} div((1 + q_t) F_j), p hydrostatic
template <class Real>
std::vector<double> AirCore<Real>::pressure_velocity(LocalIndex cell) const {
  const auto& mesh = domain_.mesh;
  const auto here = interface_pressures(cell);
  std::vector<double> advection(n_levels_), outflow(n_levels_), result;
  for (auto j = mesh.cell_offsets[cell]; j < mesh.cell_offsets[cell + 1]; ++j) {
    const auto e = mesh.edges_on_cell[j];
    const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
    const auto other = cell_1 == cell ? cell_2 : cell_1;
    const auto there = interface_pressures(other);
    for (int k = 0; k < n_levels_; ++k) {
      const double flux = double{mesh.outward_length[j]} * rank_fields_.flux[at_level(e, k)];
      const double load =
          air_.moist ? (double{loading()[at_level(cell, k)]} + loading()[at_level(other, k)]) / 2 : 1;
      outflow[k] += load * flux;
      advection[k] += flux * ((there[k] + there[k + 1]) / 2 - (here[k] + here[k + 1]) / 2) / 2;
    }
  }
  double outflow_above = 0;
  for (int k = 0; k < n_levels_; ++k) {
    result.push_back(advection[k] / air_.hybrid.mass(k, now_.ps[cell]) - outflow_above - outflow[k] / 2);
    outflow_above += outflow[k];
  }
  return result;
}

/// Mass M = sum dp A/g. Energy, hydrostatic: E = sum (K + c_p theta_rho Pi) dp A/g + phi_s ps A/g, which is
/// the kinetic, internal and potential energy plus the work against the pressure at the top, except for a
/// constant; ps with the water. Potential enstrophy Z = sum_v A_v m_v q_v^2 / 2, m in kg m-2. Angular
/// momentum L = sum dp A/g a . (r x u + r^2 Omega), a: axis.
template <class Real>
std::vector<double> AirCore<Real>::integrals() {
  diagnose();
  const double gravity = domain_.options.planet.gravity;
  const auto first_tracer = kIntegrals + (air_.moist ? kMoistIntegrals : 0);
  std::vector<std::span<const double>> amounts;  // of the physics, per area
  if (physics_)
    for (const auto& amount : physics_->columns().amounts()) amounts.push_back(physics_values(amount.field));
  const auto first_amount = first_tracer + air_.tracers.size();
  std::vector<ExactSum> sums(first_amount + amounts.size());
  for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
    const auto column = profile(i);
    const double ps = column.interface_pressure.back(), area = domain_.mesh.cell_area[i] / gravity;
    sums[kMass].add(area * (ps - air_.hybrid.top()));
    if (air_.moist) sums[kDryAirMass].add(area * (now_.ps[i] - air_.hybrid.top()));
    for (std::size_t a = 0; a < amounts.size(); ++a)
      sums[first_amount + a].add(domain_.mesh.cell_area[i] * amounts[a][i]);
    sums[kEnergy].add(
        area * columns_->boundary_energy(ps, rank_fields_.surface_geopotential[i], column.interface_phi[0]));
    for (int k = 0; k < n_levels_; ++k) {
      const LevelBlock<Real, 1> rows(n_levels_, k);
      const double m = area * column.weight[k], dry_m = area * air_.hybrid.mass(k, now_.ps[i]);
      const double temperature = column.theta_rho[k] * column.exner[k];
      const double energy = kinetic_energy(domain_.mesh, rows(now_.u), i) +
                            columns_->energy(now_, i, k, temperature, column.phi[k]);
      sums[kEnergy].add(m * energy);
      for (int t = 0; t < n_tracers(); ++t) {
        const double tracer_mass = dry_m * tracers_->values(t)[at_level(i, k)];
        sums[first_tracer + t].add(tracer_mass);
        if (air_.moist && t < kWaterTracerCount) sums[kWaterMass].add(tracer_mass);
      }
      sums[kAngularMomentum].add(
          m * domain_.angular_momentum(i, domain_.eastward_northward(now_.u, n_levels_, i, k)));
    }
  }
  for (LocalIndex v = 0; v < domain_.n_vertices; ++v) {
    for (int k = 0; k < n_levels_; ++k) {
      const LevelBlock<Real, 1> rows(n_levels_, k);
      const double m = at_vertex(domain_.mesh, mass(now_)(rows), v), q = rank_fields_.pv[at_level(v, k)];
      sums[kEnstrophy].add(domain_.mesh.vertex_area[v] * gravity * m * q * q / 2);
    }
  }
  return comm::global_sums(domain_.comm, sums);
}

template class AirCore<double>;
template class AirCore<float>;

}  // namespace halcyon::atmosphere
