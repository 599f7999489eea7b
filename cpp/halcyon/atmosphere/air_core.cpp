#include "halcyon/atmosphere/air_core.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>

#include "halcyon/atmosphere/with_halo.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"

namespace halcyon::atmosphere {

namespace {

/// In the order of AirState.
template <class Real>
std::vector<schedule::HaloField> exchanged(int n_levels, bool nonhydrostatic) {
  const auto field = [](int entity, int n) {
    return schedule::HaloField{
        .entity = entity, .item_bytes = static_cast<std::int64_t>(n * sizeof(Real)), .layers = kHaloLayers};
  };
  std::vector fields{field(0, 1), field(1, n_levels), field(0, n_levels)};
  if (nonhydrostatic) fields.insert(fields.end(), 2, field(0, n_levels + 1));
  return fields;
}

const AirOptions& checked(const AirOptions& air, const Scheme& scheme) {
  air.hybrid.check();
  require<ConfigError>(!air.keep_energy || (!air.reference && scheme.transport_order == 2),
                       "keep_energy needs reference = false and transport_order = 2.");
  return air;
}

/// Of a patch, so that what its sweeps hand on stays in the cache: some 25 numbers a cell and level.
template <class Real>
LocalIndex cells_of_patch(const AirOptions& air) {
  constexpr std::int64_t kMost = std::numeric_limits<LocalIndex>::max() / 2;
  const auto bytes = static_cast<std::int64_t>(sizeof(Real)) * air.hybrid.n_levels();
  return static_cast<LocalIndex>(std::clamp<std::int64_t>(air.patch_bytes / bytes, 1, kMost));
}

}  // namespace

template <class Real>
AirCore<Real>::AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const CoreOptions& options, const AirOptions& air)
    : air_(checked(air, options.scheme)),
      n_levels_(air.hybrid.n_levels()),
      part_(comm, local, options),
      hybrid_(air.hybrid),
      slope_(hybrid_),
      columns_(air, options.planet.gravity, options.scheme),
      halo_(comm, local.part, exchanged<Real>(n_levels_, air.nonhydrostatic), options.method,
            comm::Placement::node_memory),
      now_(halo_, air.nonhydrostatic),
      first_(halo_, air.nonhydrostatic),
      second_(halo_, air.nonhydrostatic),
      kept_(part_, n_levels_, air.nonhydrostatic),
      patches_(patches<Real>(local, options.planet, options.scheme, n_levels_, cells_of_patch<Real>(air))),
      fields_(patches_, n_levels_, air.nonhydrostatic) {
  if (n_tracers() == 0) return;
  curvature_.emplace(part_.mesh, part_.cell_points, options.scheme);
  tracers_.emplace(comm, local.part, part_.mesh, *curvature_, options.scheme, n_levels_, n_tracers(),
                   options.method);
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
  // The last stage writes the state that patches read as the old one: each at its own items alone, but for
  // ps.
  AirNumbers<Real> old = now_;
  if (!is_first) old.ps = kept_.ps_before;
  for_patches(now, [&](Patch<Real>& patch, bool is_early) {
    sweep(patch, {patch, fields_.now, old, next, kept_.lift_old, static_cast<Real>(dt), ahead, is_first},
          is_early);
    if (tracers_ && is_last) keep(patch, is_early);
    if (looks && !is_early) look(patch);
  });
  if (is_first) std::ranges::copy(now_.ps, kept_.ps_before.begin());
}

/// Collective. Brings the halo of a state and calls compute(patch, is_early) for all patches, early and then
/// late: while it travels for those that do not need it, and early for one that needs some of it. The fields
/// of a patch stay until the next one.
template <class Real>
void AirCore<Real>::for_patches(const AirState<Real>& now,
                                const std::function<void(Patch<Real>&, bool)>& compute) {
  const auto visit = [&](Patch<Real>& patch, bool is_early) {
    const ScopedTimer timer(times_.compute_s);
    gather(patch, now, is_early);
    compute(patch, is_early);
  };
  with_halo(halo_, now.fields(), part_.options.overlap, times_.exchange_s, [&](bool is_early) {
    const auto split = std::ranges::find_if_not(patches_, &Patch<Real>::is_inner);
    const std::ranges::subrange inner(patches_.begin(), split);
    if (is_early)
      for (auto& patch : inner) visit(patch, true), visit(patch, false);
    if (split == patches_.end()) return;
    visit(*split, is_early);
    if (is_early) return;
    for (auto& patch : std::ranges::subrange(split + 1, patches_.end()))
      visit(patch, true), visit(patch, false);
  });
}

/// What the sweeps of a patch read.
template <class Real>
void AirCore<Real>::gather(const Patch<Real>& patch, const AirState<Real>& now, bool is_early) {
  const auto &cells = patch.sweeps.cells.part(is_early), &edges = patch.sweeps.edges.part(is_early);
  take<Real>(cells, patch.cells, 1, now.ps, fields_.now.ps);
  take<Real>(cells, patch.cells, 1, kept_.ground, fields_.ground);
  take<Real>(cells, patch.cells, 1, kept_.sine2, fields_.sine2);
  take<Real>(cells, patch.cells, n_levels_, now.theta, fields_.now.theta);
  take<Real>(edges, patch.edges, n_levels_, now.u, fields_.now.u);
  take<Real>(patch.sweeps.vertices.part(is_early), patch.vertices, 1, coriolis_, fields_.coriolis);
  if (!air_.nonhydrostatic) return;
  take<Real>(cells, patch.cells, n_levels_ + 1, now.w, fields_.now.w);
  take<Real>(cells, patch.cells, n_levels_ + 1, now.phi, fields_.now.phi);
}

template <class Real>
void AirCore<Real>::sweep(Patch<Real>& patch, const Stage& stage, bool is_early) {
  const auto& [mesh, sweeps, now] = std::tie(patch.mesh, patch.sweeps, stage.now);
  const auto part = [&](const Sweep& whole) -> const Runs& { return whole.part(is_early); };
  const auto layers = mass(now);
  const bool is_dissipated = patch.dissipation && stage.is_first;
  const auto vorticity = is_dissipated ? std::span<Real>(fields_.vorticity) : std::span<Real>();
  const auto bends = stage.is_first ? std::span<Real>() : std::span<Real>(fields_.bends);
  const auto heat_capacity = static_cast<Real>(air_.air.heat_capacity);

  potential_vorticity(mesh, part(sweeps.vertices), n_levels_, fields_.coriolis, layers, now.u, vorticity,
                      fields_.pv);
  mass_flux(mesh, part(sweeps.fluxes), n_levels_, stage.ahead, layers, now.u, fields_.pv, fields_.flux,
            fields_.pv_edge);
  if (!bends.empty())
    heat_bends<Real>(patch.curvature, slope_, part(sweeps.bends), n_levels_, now.theta, now.ps, bends);
  carried_flux<Real>(mesh, patch.curvature, part(sweeps.carried), n_levels_, fields_.flux, now.theta, bends,
                     fields_.heat_flux);
  columns_.advance(part(sweeps.columns), stage, fields_);
  columns_.diagnose(part(sweeps.rim), stage, fields_);
  if (air_.nonhydrostatic)
    air_momentum<true>(part(sweeps.momentum), n_levels_, heat_capacity, layers, stage, fields_);
  else
    air_momentum<false>(part(sweeps.momentum), n_levels_, heat_capacity, layers, stage, fields_);

  if (is_dissipated) patch.dissipation->find(mesh, sweeps, is_early, now.u, fields_.vorticity);
  if (is_early) return;
  if (patch.dissipation) patch.dissipation->add(sweeps.winds, stage.dt, stage.next.u, patch.edges);
  if (friction_.ground || !friction_.start.empty()) rub(n_levels_, friction_, hybrid_, stage);
}

/// What others read of a patch; where two find something, it is the same.
template <class Real>
void AirCore<Real>::keep(const Patch<Real>& patch, bool is_early) {
  const auto& cells = patch.sweeps.energies.part(is_early);
  give<Real>(cells, patch.cells, 1, fields_.ps_after, kept_.ps_after);
  give<Real>(cells, patch.cells, n_levels_ + 1, fields_.vertical_flux, kept_.vertical_flux);
  give<Real>(patch.sweeps.fluxes.part(is_early), patch.edges, n_levels_, fields_.flux, kept_.flux);
}

template class AirCore<double>;
template class AirCore<float>;

std::unique_ptr<Core> make_air(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                               const CoreOptions& options, const AirOptions& air, bool single) {
  if (single) return std::make_unique<AirCore<float>>(comm, local, options, air);
  return std::make_unique<AirCore<double>>(comm, local, options, air);
}

}  // namespace halcyon::atmosphere
