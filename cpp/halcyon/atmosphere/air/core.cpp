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

using decomposition::give, decomposition::take;

namespace {

/// Of a tile, so that what its sweeps hand on stays in the cache: some 25 numbers a cell and level.
template <class Real>
LocalIndex cells_of_tile(const AirOptions& air) {
  constexpr std::int64_t kMost = std::numeric_limits<LocalIndex>::max() / 2;
  const auto bytes = static_cast<std::int64_t>(sizeof(Real)) * air.hybrid.n_levels();
  return static_cast<LocalIndex>(std::clamp<std::int64_t>(air.tile_bytes / bytes, 1, kMost));
}

}  // namespace

template <class Real>
AirCore<Real>::AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const CoreOptions& options, const AirOptions& air, bool has_interfaces,
                       std::unique_ptr<AirColumns<Real>> columns)
    : Core(comm, local, options.method, air.hybrid.n_levels(), state(air.hybrid.n_levels(), has_interfaces)),
      air_(air),
      part_(comm, local, options),
      hybrid_(air.hybrid),
      slope_(hybrid_),
      columns_(std::move(columns)),
      now_(halo_),
      first_(halo_),
      second_(halo_),
      kept_(part_, n_levels_, has_interfaces),
      tiles_(tiles<Real>(local, options.planet.radius, options.scheme, cells_of_tile<Real>(air))),
      fields_(tiles_, n_levels_, has_interfaces) {
  if (options.scheme.dissipates())
    dissipation_.emplace(options.scheme, n_levels_, fields_.most, part_.n_edges);
  if (n_tracers() > 0)
    tracers_.emplace(comm, local, part_.mesh, options.scheme, n_levels_, n_tracers(), options.method);
}

/// In the order of AirState.
template <class Real>
std::vector<schedule::HaloField> AirCore<Real>::state(int n_levels, bool has_interfaces) {
  std::vector fields{field<Real>(0, 1), field<Real>(1, n_levels), field<Real>(0, n_levels)};
  if (has_interfaces) fields.insert(fields.end(), 2, field<Real>(0, n_levels + 1));
  return fields;
}

/// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
template <class Real>
void AirCore<Real>::step(double dt) {
  dt_ = dt;
  advance(now_, first_, dt / 3);
  advance(first_, second_, dt / 2);
  advance(second_, now_, dt);
  ++n_steps_;
  if (!tracers_) return;
  // By the fluxes of the last stage, which took the mass from the old state to the new one.
  const ScopedTimer timer(times_.compute_s);
  tracers_->step(static_cast<Real>(dt), kept_.flux, kept_.vertical_flux,
                 LayerMass<Real>(hybrid_, kept_.ps_before), LayerMass<Real>(hybrid_, kept_.ps_after));
}

/// Collective. One stage.
template <class Real>
void AirCore<Real>::advance(const AirState<Real>& now, const AirState<Real>& next, double dt) {
  const bool is_first = &now == &now_, is_last = &next == &now_, looks = is_first && trouble_.cell == kNone;
  const auto ahead = static_cast<Real>(is_last ? part_.options.scheme.anticipation * dt_ : 0);
  // The last stage writes the state that tiles read as the old one: each at its own items alone, but for
  // ps.
  AirNumbers<Real> old = now_;
  if (!is_first) old.ps = kept_.ps_before;
  for_tiles(now, [&](const Tile<Real>& tile, bool is_early) {
    sweep(tile, {tile, fields_.now, old, next, kept_.lift_old, static_cast<Real>(dt), ahead, is_first},
          is_early);
    if (tracers_ && is_last) keep(tile, is_early);
    if (looks && !is_early) look(tile);
  });
  if (is_first) std::ranges::copy(now_.ps, kept_.ps_before.begin());
}

/// Collective. Brings the halo of a state and calls compute(tile, is_early) for all tiles, early and then
/// late. The fields of a tile stay until the next one.
template <class Real>
void AirCore<Real>::for_tiles(const AirState<Real>& now,
                              const std::function<void(const Tile<Real>&, bool)>& compute) {
  halo::for_tiles(halo_, now.fields(), part_.options.overlap, times_.exchange_s, std::span(tiles_),
                  [&](const Tile<Real>& tile, bool is_early) {
                    const ScopedTimer timer(times_.compute_s);
                    gather(tile, now, is_early);
                    compute(tile, is_early);
                  });
}

/// What the sweeps of a tile read.
template <class Real>
void AirCore<Real>::gather(const Tile<Real>& tile, const AirState<Real>& now, bool is_early) {
  const auto &cells = tile.sweeps.cells.part(is_early), &edges = tile.sweeps.edges.part(is_early);
  take<Real>(cells, tile.cells, 1, now.ps, fields_.now.ps);
  take<Real>(cells, tile.cells, 1, kept_.ground, fields_.ground);
  take<Real>(cells, tile.cells, 1, kept_.sine2, fields_.sine2);
  take<Real>(cells, tile.cells, n_levels_, now.theta, fields_.now.theta);
  take<Real>(edges, tile.edges, n_levels_, now.u, fields_.now.u);
  take<Real>(tile.sweeps.vertices.part(is_early), tile.vertices, 1, part_.coriolis, fields_.coriolis);
  if (!has_interfaces()) return;
  take<Real>(cells, tile.cells, n_levels_ + 1, now.w, fields_.now.w);
  take<Real>(cells, tile.cells, n_levels_ + 1, now.phi, fields_.now.phi);
}

template <class Real>
void AirCore<Real>::sweep(const Tile<Real>& tile, const Stage& stage, bool is_early) {
  const auto& [mesh, sweeps, now] = std::tie(tile.mesh, tile.sweeps, stage.now);
  const auto next = [&](const Sweep& sweep) -> const Runs& {
    halo_.progress();  // between two sweeps what travels has a turn
    return sweep.part(is_early);
  };
  const auto layers = mass(now);
  const bool is_dissipated = dissipation_ && stage.is_first;
  const auto vorticity = is_dissipated ? std::span<Real>(fields_.vorticity) : std::span<Real>();
  const bool third_order = !stage.is_first && !air_.keep_energy;
  const auto second = third_order ? std::span<Real>(fields_.second_derivatives) : std::span<Real>();

  potential_vorticity(mesh, next(sweeps.vertices), n_levels_, fields_.coriolis, layers, now.u, vorticity,
                      fields_.pv);
  mass_flux(mesh, next(sweeps.fluxes), n_levels_, stage.ahead, layers, now.u, fields_.pv, fields_.flux,
            fields_.pv_edge);
  if (!second.empty())
    heat_second_derivatives<Real>(tile.curvature, slope_, next(sweeps.second_derivatives), n_levels_,
                                  now.theta, now.ps, second);
  advected_flux<Real>(mesh, tile.curvature, next(sweeps.carried), n_levels_, fields_.flux, now.theta, second,
                     fields_.heat_flux);
  columns_->advance(next(sweeps.columns), stage, fields_);
  columns_->diagnose(next(sweeps.rim), stage, fields_);
  columns_->momentum(next(sweeps.momentum), stage, fields_);

  if (is_dissipated) dissipation_->find(mesh, sweeps, is_early, now.u, fields_.vorticity, tile.edges);
  if (is_early) return;
  if (dissipation_) dissipation_->add(sweeps.winds, stage.dt, stage.next.u, tile.edges);
  if (friction_.ground || !friction_.start.empty()) rub(n_levels_, friction_, hybrid_, stage);
}

/// What others read of a tile; where two find something, it is the same.
template <class Real>
void AirCore<Real>::keep(const Tile<Real>& tile, bool is_early) {
  const auto& cells = tile.sweeps.energies.part(is_early);
  give<Real>(cells, tile.cells, 1, fields_.ps_after, kept_.ps_after);
  give<Real>(cells, tile.cells, n_levels_ + 1, fields_.vertical_flux, kept_.vertical_flux);
  give<Real>(tile.sweeps.fluxes.part(is_early), tile.edges, n_levels_, fields_.flux, kept_.flux);
}

template class AirCore<double>;
template class AirCore<float>;

EquationSet air_set(options::Choice choice, bool has_interfaces, const SetCosts& costs,
                    decltype(EquationSet::make) make) {
  std::vector<options::Option> own = {
      {.name = "keep_energy",
       .value = false,
       .text =
           "Of the air: steps alone change its energy. Heat goes by means, forces of pressure are the plain "
           "ones, vertex_energy is 0 and off_centring 0.5."},
      number_above("sponge.pressure", 0, "It acts where there is less.", "Pa", 0, 1e5),
      number_above("sponge.rate", 0, "At the top.", "s-1", 0, 1),
  };
  own[1].required = own[2].required = true;
  std::ranges::move(choice.options, std::back_inserter(own));
  choice.options = equation_options(std::move(own));
  std::vector<std::string> state{"surface_pressure", "normal_wind", "potential_temperature"};
  if (has_interfaces) state.insert(state.end(), {"upward_wind_at_interfaces", "geopotential_at_interfaces"});
  return {std::move(choice), true, std::move(state), costs, air_variables, air_integral_variables, make};
}

}  // namespace halcyon::atmosphere
