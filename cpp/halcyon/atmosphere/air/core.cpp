#include "halcyon/atmosphere/air/core.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/decomposition/tiling.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

using decomposition::scatter_columns, decomposition::gather_columns;

namespace {

/// Returns the options with the tracers of water before the others, if the air is moist.
AirOptions with_water(AirOptions air) {
  air.tracers = physics::all_tracers(std::move(air.tracers), air.moist);
  return air;
}

/// Returns the cells per tile with which the work fields of a tile (about 25 of them) fit the cache.
template <class Real>
LocalIndex cells_per_tile(const AirOptions& air) {
  constexpr std::int64_t kMaximum = std::numeric_limits<LocalIndex>::max() / 2;
  const auto bytes = static_cast<std::int64_t>(sizeof(Real)) * air.hybrid.n_levels();
  return static_cast<LocalIndex>(std::clamp<std::int64_t>(air.tile_bytes / bytes, 1, kMaximum));
}

}  // namespace

template <class Real>
AirCore<Real>::AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const CoreOptions& options, const AirOptions& air, bool has_interfaces,
                       std::unique_ptr<AirColumns<Real>> columns)
    : Core(comm, local, options.method, air.hybrid.n_levels(),
           halo_fields(air.hybrid.n_levels(), has_interfaces)),
      air_(with_water(air)),
      domain_(comm, local, options),
      hybrid_(air.hybrid),
      slopes_(hybrid_),
      columns_(std::move(columns)),
      now_(halo_),
      stage_1_(halo_),
      stage_2_(halo_),
      rank_fields_(domain_, n_levels_, has_interfaces),
      tiles_(make_tiles<Real>(local, options.planet.radius, options.scheme, cells_per_tile<Real>(air))),
      tile_fields_(tiles_, n_levels_, has_interfaces, air.moist) {
  require<ConfigError>(!(air.moist && air.keep_energy),
                       "Moist air does not keep its energy. Leave out moist or keep_energy.");
  if (options.scheme.dissipates())
    dissipation_.emplace(options.scheme, n_levels_, tile_fields_.max_items,
                         options.scheme.frictional_heating);
  if (n_tracers() > 0)
    tracers_.emplace(comm, local, domain_.mesh, options.scheme, n_levels_, n_tracers(), options.method);
  if (options.scheme.viscosity > 0 || options.scheme.scalar_viscosity > 0) {
    viscosity_.emplace(local, domain_, hybrid_, n_levels_, n_tracers());
  }
  if (air.moist) {
    loading_halo_.emplace(comm, local.part, std::vector{field<Real>(kCells, n_levels_)}, options.method,
                          comm::BufferPlacement::node_memory);
    loading_.emplace(*loading_halo_);
    std::ranges::fill(loading(), Real{1});
  }
  if (!air.physics.empty()) physics_.emplace(local, domain_, air_, has_interfaces, variables());
}

/// The halo fields of AirState, in the order of its fields.
template <class Real>
std::vector<schedule::HaloField> AirCore<Real>::halo_fields(int n_levels, bool has_interfaces) {
  std::vector fields{field<Real>(kCells, 1), field<Real>(kEdges, n_levels), field<Real>(kCells, n_levels)};
  if (has_interfaces) fields.insert(fields.end(), 2, field<Real>(kCells, n_levels + 1));
  return fields;
}

/// X* = X + dt/3 f(X),  X** = X + dt/2 f(X*),  X_new = X + dt f(X**), X the prognostic fields
template <class Real>
void AirCore<Real>::take_step(double dt) {
  exchange_loading();
  advance(now_, stage_1_, dt / 3);
  if (physics_) run_physics(dt);
  if (viscosity_) {
    const ScopedTimer timer(times_.compute_s);
    viscosity_->compute(static_cast<Real>(dt), now_);
  }
  agree_on_step(domain_.cell_points);
  advance(stage_1_, stage_2_, dt / 2);
  advance(stage_2_, now_, dt);
  if (viscosity_) viscosity_->add(static_cast<Real>(dt), now_, rank_fields_.ps_before);
  if (!tracers_) return;
  // The mass fluxes of the last stage advanced the mass from the old to the new state.
  double exchange_s = 0;
  {
    const ScopedTimer timer(times_.compute_s);
    if (physics_) physics_->add(*tracers_, static_cast<Real>(dt));
    if (viscosity_) viscosity_->diffuse(*tracers_, static_cast<Real>(dt), rank_fields_.ps_before);
    tracers_->step(static_cast<Real>(dt), rank_fields_.flux, rank_fields_.vertical_flux,
                   LayerMass<Real>(hybrid_, rank_fields_.ps_before),
                   LayerMass<Real>(hybrid_, rank_fields_.ps_after), domain_.options.overlap, exchange_s);
  }
  times_.compute_s -= exchange_s;
  times_.exchange_s += exchange_s;
}

/// Computes 1 + q_t of the owned cells.
template <class Real>
void AirCore<Real>::update_loading() {
  if (!air_.moist) return;
  const auto vapour = tracers_->values(kVapour), cloud = tracers_->values(kVapour + 1),
             rain = tracers_->values(kVapour + 2);
  for (std::size_t i = 0; i < at_level(domain_.n_cells, 0); ++i)
    loading()[i] = Real(1) + (vapour[i] + cloud[i] + rain[i]);
}

/// Collective. Computes 1 + q_t, which is constant during a step.
template <class Real>
void AirCore<Real>::exchange_loading() {
  if (!air_.moist) return;
  update_loading();
  const ScopedTimer timer(times_.exchange_s);
  loading_halo_->start(loading_->fields()).wait();
}

/// Collective. Computes the tendencies of the physics, and adds them to the result of the first stage.
template <class Real>
void AirCore<Real>::run_physics(double dt) {
  physics_->compute(dt, now_, rank_fields_.surface_geopotential, tracers_ ? &*tracers_ : nullptr, loading(),
                    times_);
  physics_->add(now_, stage_1_, static_cast<Real>(dt / 3));
  const auto& failure = physics_->columns().failure();
  if (failure.item < 0 || failure_.cell != kNone) return;
  failure_ = physics::step_failure<StepFailure>(static_cast<LocalIndex>(failure.item), n_steps_, failure);
}

/// Collective. Computes one Runge-Kutta stage: next = old + dt f(now), with the old state in `now_`.
template <class Real>
void AirCore<Real>::advance(const AirState<Real>& now, const AirState<Real>& next, double dt) {
  const bool is_first = &now == &now_, is_last = &next == &now_,
             checks_state = is_first && failure_.cell == kNone, dissipates = dissipation_ && is_last;
  const auto upstream_time = static_cast<Real>(is_last ? domain_.options.scheme.anticipation * dt_ : 0);
  // The last stage overwrites the old state. A tile reads old values of other tiles only of ps, from a copy.
  AirStateView<Real> old = now_;
  if (!is_first) old.ps = rank_fields_.ps_before;
  for_tiles(now, [&](const Tile<Real>& tile, bool is_inner) {
    run_sweeps(tile,
               {tile, tile_fields_.now, old, next, rank_fields_.acceleration_old, static_cast<Real>(dt),
                upstream_time, is_first,
                // The physics needs the halo of the first stage, and is added after it.
                physics_ && !is_first ? physics_->forcing() : Forcing<Real>{},
                dissipates ? dissipation_->tendency() : std::span<Real>{},
                dissipates ? dissipation_->heating() : std::span<Real>{}},
               is_inner);
    if (tracers_ && is_last) store_tile_results(tile, is_inner);
    if (checks_state && !is_inner) check_state(tile);
  });
  if (is_first) std::ranges::copy(now_.ps, rank_fields_.ps_before.begin());
}

/// Collective. Exchanges the halo of a state and calls compute(tile, is_inner) for all tiles, for each tile
/// once with is_inner true, then once with false. The work fields of a tile are valid until the next tile.
template <class Real>
void AirCore<Real>::for_tiles(const AirState<Real>& now,
                              const std::function<void(const Tile<Real>&, bool)>& compute) {
  halo::for_tiles(halo_, now.fields(), domain_.options.overlap, times_.exchange_s, std::span(tiles_),
                  [&](const Tile<Real>& tile, bool is_inner) {
                    const ScopedTimer timer(times_.compute_s);
                    load_tile(tile, now, is_inner);
                    compute(tile, is_inner);
                  });
}

/// Copies the inputs of a tile from the rank's fields into the work fields.
template <class Real>
void AirCore<Real>::load_tile(const Tile<Real>& tile, const AirState<Real>& now, bool is_inner) {
  const auto &cells = tile.sweeps.cells.part(is_inner), &edges = tile.sweeps.edges.part(is_inner);
  gather_columns<Real>(cells, tile.cells, 1, now.ps, tile_fields_.now.ps);
  gather_columns<Real>(cells, tile.cells, 1, rank_fields_.surface_geopotential,
                       tile_fields_.surface_geopotential);
  gather_columns<Real>(cells, tile.cells, n_levels_, now.theta, tile_fields_.now.theta);
  gather_columns<Real>(edges, tile.edges, n_levels_, now.u, tile_fields_.now.u);
  gather_columns<Real>(tile.sweeps.vertices.part(is_inner), tile.vertices, 1, domain_.coriolis,
                       tile_fields_.coriolis);
  if (air_.moist) {
    gather_columns<Real>(cells, tile.cells, n_levels_, loading(), tile_fields_.loading);
    for_columns<Real>(cells, n_levels_, [&](auto rows, LocalIndex i) {
      rows.put(tile_fields_.theta_rho, i, rows(tile_fields_.now.theta)[i] / rows(tile_fields_.loading)[i]);
    });
  }
  if (!has_interfaces()) return;
  gather_columns<Real>(cells, tile.cells, n_levels_ + 1, now.w, tile_fields_.now.w);
  gather_columns<Real>(cells, tile.cells, n_levels_ + 1, now.phi, tile_fields_.now.phi);
}

template <class Real>
void AirCore<Real>::run_sweeps(const Tile<Real>& tile, const Stage& stage, bool is_inner) {
  const auto& [mesh, sweeps, now] = std::tie(tile.mesh, tile.sweeps, stage.now);
  const auto items_of = [&](const Sweep& sweep) -> const IndexRanges& {
    halo_.progress();  // polls MPI between two sweeps
    return sweep.part(is_inner);
  };
  const auto layers = mass(now);
  const bool is_third_order = !stage.is_first && !air_.keep_energy;  // the first stage is of second order
  const auto derivatives =
      is_third_order ? std::span<Real>(tile_fields_.theta_derivatives) : std::span<Real>();

  potential_vorticity(mesh, items_of(sweeps.vertices), n_levels_, domain_.options.scheme.sharp_vorticity,
                      tile_fields_.coriolis, layers, now.u,
                      /*zeta=*/std::span<Real>(), tile_fields_.pv);
  mass_flux(mesh, items_of(sweeps.fluxes), n_levels_, stage.upstream_time, layers, now.u, tile_fields_.pv,
            tile_fields_.flux, tile_fields_.pv_edge);
  if (!derivatives.empty())
    theta_derivatives<Real>(tile.curvature, slopes_, items_of(sweeps.second_derivatives), n_levels_,
                            now.theta, now.ps, derivatives);
  heat_flux<Real>(mesh, tile.curvature, items_of(sweeps.advected_fluxes), n_levels_, tile_fields_.flux,
                  now.theta, now.ps, derivatives, tile_fields_.heat_flux);
  if (!stage.dissipation.empty()) dissipation_->compute(mesh, sweeps, is_inner, now.u);
  columns_->advance(items_of(sweeps.columns), stage, tile_fields_);
  columns_->diagnose(items_of(sweeps.halo_columns), stage, tile_fields_);
  columns_->momentum(items_of(sweeps.momentum), stage, tile_fields_);
  if (is_inner) return;
  if (stage.forcing.has_wind() || !friction_.initial_wind.empty())
    apply_friction(n_levels_, friction_, stage);
}

/// Stores the results of a tile in the rank's fields. Values that two tiles both compute are identical.
template <class Real>
void AirCore<Real>::store_tile_results(const Tile<Real>& tile, bool is_inner) {
  const auto& cells = tile.sweeps.energies.part(is_inner);
  scatter_columns<Real>(cells, tile.cells, 1, tile_fields_.ps_after, rank_fields_.ps_after);
  scatter_columns<Real>(cells, tile.cells, n_levels_ + 1, tile_fields_.vertical_flux,
                        rank_fields_.vertical_flux);
  scatter_columns<Real>(tile.sweeps.fluxes.part(is_inner), tile.edges, n_levels_, tile_fields_.flux,
                        rank_fields_.flux);
}

template class AirCore<double>;
template class AirCore<float>;

EquationSet air_equation_set(options::RegistryEntry choice, bool has_interfaces, const EquationCosts& costs,
                             decltype(EquationSet::make) make) {
  std::vector<options::Option> specific = {
      {.name = "keep_energy",
       .value = false,
       .text =
           "Energy-conserving spatial discretization: only the time stepping changes the total energy. "
           "Potential temperature is transported by centred fluxes, pressure gradients are computed without "
           "the reference atmosphere, vertex_energy is 0 and off_centring 0.5."},
      {.name = "moist",
       .value = false,
       .text = "Water vapour, cloud water and rain water, as the tracers `water_vapour`, `cloud_water` and "
               "`rain_water`, in the density and the weight of the air (docs/moist.md)."},
      {.name = "frictional_heating",
       .value = true,
       .text = "The kinetic energy that diffusion, hyperdiffusion and divergence damping take heats the air "
               "where they take it; auto: true without keep_energy.",
       .word = "auto"},
      number_above("sponge.pressure", 0, "Pressure at the bottom of the sponge layer.", "Pa", 0, 1e5),
      number_above("sponge.rate", 0, "Damping rate at the model top.", "s-1", 0, 1),
  };
  specific[3].required = specific[4].required = true;
  std::ranges::move(choice.options, std::back_inserter(specific));
  choice.options = equation_options(std::move(specific));
  std::vector<std::string> state{"surface_pressure", "normal_wind", "potential_temperature"};
  if (has_interfaces) state.insert(state.end(), {"upward_wind_at_interfaces", "geopotential_at_interfaces"});
  constexpr bool kHasLevels = true;
  return {std::move(choice),      kHasLevels, std::move(state), costs, air_variables,
          air_integral_variables, make};
}

}  // namespace halcyon::atmosphere
