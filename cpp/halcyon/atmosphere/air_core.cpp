#include "halcyon/atmosphere/air_core.hpp"

#include <algorithm>
#include <cmath>

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

const AirOptions& checked(const AirOptions& air) {
  air.hybrid.check();
  return air;
}

}  // namespace

template <class Real>
AirCore<Real>::AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                       const CoreOptions& options, const AirOptions& air)
    : air_(checked(air)),
      n_levels_(air.hybrid.n_levels()),
      part_(comm, local, options, true),
      hybrid_(air.hybrid),
      curvature_(part_.mesh, part_.cell_points, options.scheme),
      slope_(hybrid_),
      columns_(part_.mesh, part_.energy, air, options.planet.gravity, options.scheme),
      halo_(comm, local.part, exchanged<Real>(n_levels_, air.nonhydrostatic), options.method,
            comm::Placement::node_memory),
      now_(halo_, air.nonhydrostatic),
      first_(halo_, air.nonhydrostatic),
      second_(halo_, air.nonhydrostatic),
      fields_(part_, n_levels_, air.nonhydrostatic) {
  if (n_tracers() > 0)
    tracers_.emplace(comm, local.part, part_.mesh, curvature_, options.scheme, n_levels_, n_tracers(),
                     options.method);
  weave(local.mesh);
  if (options.scheme.dissipates()) dissipation_.emplace(part_, n_levels_);
}

/// The order of a stage: sweeps over vertices, edges and cells, a few columns of each at a time.
template <class Real>
void AirCore<Real>::weave(const mesh::Mesh& mesh) {
  const Beside itself, edges_on_edge(mesh.edge_offsets, mesh.edges_on_edge),
      edges_on_cell(mesh.cell_offsets, mesh.edges_on_cell);
  std::array<std::vector<Need>, kSweeps> needs;
  needs[kFluxes] = {{kVertices, mesh.vertices_on_edge}};
  needs[kCarried] = {{kFluxes, itself}, {kBent, mesh.cells_on_edge}};
  needs[kColumns] = {{kFluxes, edges_on_cell}, {kCarried, edges_on_cell}};
  needs[kRim] = {{kFluxes, edges_on_cell}};
  needs[kMomentum] = {{kFluxes, itself},
                      {kFluxes, edges_on_edge},
                      {kColumns, mesh.cells_on_edge},
                      {kRim, mesh.cells_on_edge}};
  constexpr LocalIndex kCells = 256 / sizeof(Real);  // of a task: what it touches fits into the second cache
  constexpr std::array<LocalIndex, kSweeps> kSizes{2 * kCells, 3 * kCells, kCells,    3 * kCells,
                                                   kCells,     kCells,     3 * kCells};
  const bool bends = part_.options.scheme.bends();
  const auto& all = part_.sweeps;
  for (const bool is_early : {false, true}) {
    const std::array<Runs, kSweeps> sweeps{
        all.vertices.part(is_early), all.fluxes.part(is_early),  bends ? all.bends.part(is_early) : Runs{},
        all.carried.part(is_early),  all.columns.part(is_early), is_early ? Runs{} : all.rim,
        all.momentum.part(is_early)};
    tasks_[is_early] = woven(sweeps, kSizes, needs);
  }
}

/// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
template <class Real>
void AirCore<Real>::step(double dt) {
  const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * dt);
  dt_ = dt;
  advance({now_, now_, first_, static_cast<Real>(dt / 3), 0, true});
  advance({first_, now_, second_, static_cast<Real>(dt / 2), 0, false});
  advance({second_, now_, now_, static_cast<Real>(dt), ahead, false});
  ++n_steps_;
  if (!tracers_) return;
  // By the fluxes of the last stage, which took the mass from the old state to the new one.
  const ScopedTimer timer(times_.compute_s);
  tracers_->step(static_cast<Real>(dt), fields_.flux, fields_.vertical_flux,
                 LayerMass<Real>(hybrid_, fields_.ps_before), LayerMass<Real>(hybrid_, fields_.ps_after));
}

/// Collective. One stage: what needs no halo is computed while it travels.
template <class Real>
void AirCore<Real>::advance(const Stage& stage) {
  with_halo(halo_, stage.now.fields(), part_.options.overlap, times_.exchange_s,
            [&](bool is_early) { sweep(stage, is_early); });
  if (!stage.is_first) return;
  look();
  std::ranges::copy(stage.now.ps, fields_.ps_before.begin());
}

template <class Real>
void AirCore<Real>::sweep(const Stage& stage, bool is_early) {
  const ScopedTimer timer(times_.compute_s);
  const auto& mesh = part_.mesh;
  const auto layers = mass(stage.now);
  const auto u = stage.now.u, u_new = stage.next.u;

  const bool is_dissipated = dissipation_ && stage.is_first;
  const auto vorticity = is_dissipated ? std::span<Real>(fields_.vorticity) : std::span<Real>();
  const auto heat_capacity = static_cast<Real>(air_.air.heat_capacity);
  for (const auto& [sweep, runs] : tasks_[is_early]) {
    switch (sweep) {
      case kVertices:
        potential_vorticity(mesh, runs, n_levels_, coriolis_, layers, u, vorticity, fields_.pv);
        break;
      case kFluxes:
        mass_flux(mesh, runs, n_levels_, stage.ahead, layers, u, fields_.pv, fields_.flux, fields_.pv_edge);
        break;
      case kBent:
        if (stage.is_first) break;
        heat_bends<Real>(curvature_, slope_, runs, n_levels_, stage.now.theta, stage.now.ps, fields_.bends);
        break;
      case kCarried:
        carried_flux<Real>(mesh, curvature_, runs, n_levels_, fields_.flux, stage.now.theta,
                           stage.is_first ? In<Real>() : fields_.bends, fields_.heat_flux);
        break;
      case kColumns:
        columns_.advance(runs, stage, fields_);
        break;
      case kRim:
        columns_.diagnose(runs, stage, fields_);
        break;
      default:
        if (air_.nonhydrostatic)
          air_momentum<true>(mesh, runs, n_levels_, heat_capacity, layers, stage, fields_);
        else
          air_momentum<false>(mesh, runs, n_levels_, heat_capacity, layers, stage, fields_);
    }
  }
  if (is_dissipated) dissipation_->find(is_early, u, fields_.vorticity);
  if (is_early) return;
  if (dissipation_) dissipation_->add(stage.dt, u_new);
  if (friction_.ground || !friction_.start.empty())
    rub<Real>(mesh, Runs{{0, part_.n_edges}}, n_levels_, stage.dt, friction_, hybrid_, stage.now.ps, u,
              u_new);
}

template class AirCore<double>;
template class AirCore<float>;

std::unique_ptr<Core> make_air(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                               const CoreOptions& options, const AirOptions& air, bool single) {
  if (single) return std::make_unique<AirCore<float>>(comm, local, options, air);
  return std::make_unique<AirCore<double>>(comm, local, options, air);
}

}  // namespace halcyon::atmosphere
