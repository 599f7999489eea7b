#include "halcyon/atmosphere/shallow_water.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/atmosphere/kernels/dissipation.hpp"
#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"

namespace halcyon::atmosphere {

namespace {

template <class Real>
std::vector<schedule::HaloField> exchanged(int n_levels) {
  const auto bytes = static_cast<std::int64_t>(n_levels * sizeof(Real));
  return {{.entity = 0, .item_bytes = bytes, .layers = kHaloLayers},
          {.entity = 1, .item_bytes = bytes, .layers = kHaloLayers}};
}

std::size_t n_held(const decomposition::Decomposition& part, int kind, int n_levels) {
  return static_cast<std::size_t>(part.shares[kind].size()) * n_levels;
}

/// The mean of a wind along an edge, across it: Gauss and Legendre's rule of three points.
double mean_across(const std::function<Vector3(Vector3)>& wind, const std::array<Vector3, 2>& ends,
                   Vector3 normal) {
  static const double beside = (1 - std::sqrt(0.6)) / 2;
  const auto at = [&](double right, double left) {
    return dot(wind(normalized(right * ends[0] + left * ends[1])), normal);
  };
  return (8 * at(0.5, 0.5) + 5 * (at(1 - beside, beside) + at(beside, 1 - beside))) / 18;
}

}  // namespace

template <class Real>
ShallowWater<Real>::ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                                 const CoreOptions& options)
    : comm_(comm),
      options_(options),
      decomposition_(local.part),
      n_cells_(local.part.shares[0].n_owned),
      n_edges_(local.part.shares[1].n_owned),
      n_vertices_(local.part.shares[2].n_owned),
      cell_points_(local.mesh.cell_points),
      vertex_points_(local.mesh.vertex_points),
      mesh_(local, options.planet),
      sweeps_(local),
      limits_(local.mesh, n_cells_, options.planet, options.scheme),
      halo_(comm, local.part, exchanged<Real>(kLevels), options.method, comm::Placement::node_memory),
      now_(halo_),
      first_(halo_),
      second_(halo_) {
  for (LocalIndex e = 0; e < n_edges_; ++e) {
    const auto [from, to] = local.mesh.cells_on_edge[e];
    const auto [right, left] = local.mesh.vertices_on_edge[e];
    edge_normals_.push_back(normalized(cell_points_[to] - cell_points_[from]));
    edge_ends_.push_back({vertex_points_[right], vertex_points_[left]});
  }
  owned_edges_ = {Run{0, n_edges_}};
  const auto sized = [&](int kind, auto&... fields) {
    (fields.assign(n_held(decomposition_, kind, kLevels), Real{0}), ...);
  };
  sized(0, ground_, bernoulli_);
  sized(1, flux_, pv_edge_);
  sized(2, coriolis_, vorticity_, pv_, vertex_energy_);
  if (!options_.scheme.dissipates()) return;
  sized(0, divergence_, second_divergence_);
  sized(1, laplacian_, dissipation_);
  sized(2, second_curl_);
}

template <class Real>
void ShallowWater<Real>::set(const Start& start) {
  axis_ = start.axis;
  wind_stays_ = start.wind_stays;
  curvature_.reset();
  if (wind_stays_) curvature_.emplace(mesh_, cell_points_, options_.scheme);
  for (std::size_t i = 0; i < cell_points_.size(); ++i)
    ground_[i] = static_cast<Real>(start.ground(cell_points_[i]));
  for (std::size_t v = 0; v < vertex_points_.size(); ++v)
    coriolis_[v] = static_cast<Real>(2 * options_.planet.rotation * dot(axis_, vertex_points_[v]));
  for (LocalIndex i = 0; i < n_cells_; ++i) {
    const auto point = cell_points_[i];
    now_.thickness()[i] = static_cast<Real>(start.surface(point) - start.ground(point));
  }
  for (LocalIndex e = 0; e < n_edges_; ++e)
    now_.wind()[e] = static_cast<Real>(mean_across(start.wind, edge_ends_[e], edge_normals_[e]));
  for (const auto* state : {&first_, &second_})
    std::copy_n(now_.wind().begin(), n_edges_, state->wind().begin());
}

/// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
template <class Real>
void ShallowWater<Real>::step(double dt) {
  dt_ = dt;
  const auto ahead = static_cast<Real>(options_.scheme.anticipation * dt);
  advance({now_, now_, first_, static_cast<Real>(dt / 3), true}, ahead);
  advance({first_, now_, second_, static_cast<Real>(dt / 2), false}, ahead);
  advance({second_, now_, now_, static_cast<Real>(dt), false}, ahead);
  ++n_steps_;
}

/// Collective. One stage: what needs no halo is computed while it travels.
template <class Real>
void ShallowWater<Real>::advance(const Stage& stage, Real ahead) {
  const auto fields = stage.now.fields();
  auto pending = [&] {
    const ScopedTimer timer(times_.exchange_s);
    return halo_.start(fields);
  }();
  const auto wait = [&] {
    const ScopedTimer timer(times_.exchange_s);
    pending.wait();
  };
  if (!options_.overlap) wait();
  sweep(stage, ahead, true);
  if (options_.overlap) wait();
  sweep(stage, ahead, false);
  if (stage.is_first) look(stage.now);
}

template <class Real>
void ShallowWater<Real>::sweep(const Stage& stage, Real ahead, bool is_early) {
  const ScopedTimer timer(times_.compute_s);
  if (wind_stays_) return carry_thickness(stage, is_early);
  const auto h = stage.now.thickness(), u = stage.now.wind();
  const auto vertex_share = static_cast<Real>(options_.scheme.vertex_energy);
  const auto gravity = static_cast<Real>(options_.planet.gravity);
  const auto part = [&](const Sweep& whole) -> const Runs& { return whole.part(is_early); };

  potential_vorticity(mesh_, part(sweeps_.vertices), kLevels, coriolis_, h, u, vorticity_, pv_,
                      vertex_energy_);
  mass_flux(mesh_, part(sweeps_.fluxes), kLevels, ahead, h, u, pv_, flux_, pv_edge_);
  continuity(mesh_, part(sweeps_.continuity), kLevels, stage.dt, flux_, stage.old.thickness(),
             stage.next.thickness());
  bernoulli(mesh_, part(sweeps_.energies), kLevels, gravity, vertex_share, ground_, h, u, vertex_energy_,
            bernoulli_);
  momentum(mesh_, part(sweeps_.momentum), kLevels, stage.dt, flux_, pv_edge_, bernoulli_, stage.old.wind(),
           stage.next.wind());
  if (!options_.scheme.dissipates()) return;
  if (stage.is_first) dissipate(stage.now, is_early);
  if (!is_early) add<Real>(owned_edges_, kLevels, stage.dt, dissipation_, stage.next.wind());
}

/// A stage where the wind stays.
template <class Real>
void ShallowWater<Real>::carry_thickness(const Stage& stage, bool is_early) {
  const auto h = stage.now.thickness();
  carried_flux(mesh_, *curvature_, sweeps_.carried.part(is_early), kLevels, h, stage.now.wind(), flux_);
  continuity(mesh_, sweeps_.transport.part(is_early), kLevels, stage.dt, flux_, stage.old.thickness(),
             stage.next.thickness());
}

/// The dissipation of a step, from its first state.
template <class Real>
void ShallowWater<Real>::dissipate(const State<Real>& now, bool is_early) {
  const auto part = [&](const Sweep& whole) -> const Runs& { return whole.part(is_early); };
  divergences(mesh_, part(sweeps_.divergences), kLevels, now.wind(), divergence_);
  laplacians(mesh_, part(sweeps_.laplacians), kLevels, divergence_, vorticity_, laplacian_);
  divergences(mesh_, part(sweeps_.second_divergences), kLevels, laplacian_, second_divergence_);
  curls(mesh_, part(sweeps_.second_curls), kLevels, laplacian_, second_curl_);
  dissipation(mesh_, part(sweeps_.dissipation), kLevels, options_.scheme, divergence_, laplacian_,
              second_divergence_, second_curl_, dissipation_);
}

template <class Real>
Numbers ShallowWater<Real>::prognostic(const std::string& name) {
  if (name == "layer_thickness") return now_.thickness().first(n_cells_);
  require<InternalError>(name == "normal_wind", "'{}' is no state of shallow water.", name);
  return now_.wind().first(n_edges_);
}

/// The fastest normal wind [m s-1] on the edges of a cell; NaN where one is not finite.
template <class Real>
double ShallowWater<Real>::fastest(const State<Real>& now, LocalIndex cell) const {
  double most = 0;
  for (auto j = mesh_.cell_offsets[cell]; j < mesh_.cell_offsets[cell + 1]; ++j) {
    const double across = std::abs(double{now.wind()[mesh_.edges_on_cell[j]]});
    if (!std::isfinite(across)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, across);
  }
  return most;
}

/// The speed [m s-1] of gravity waves.
template <class Real>
double ShallowWater<Real>::waves(const State<Real>& now, LocalIndex cell) const {
  return wind_stays_ ? 0 : std::sqrt(options_.planet.gravity * now.thickness()[cell]);
}

template <class Real>
double ShallowWater<Real>::longest_step() {
  refresh();
  double highest = 0;
  for (LocalIndex i = 0; i < n_cells_; ++i)
    highest = std::max(highest, limits_.rate(i, waves(now_, i) + fastest(now_, i)));
  return 1 / highest;
}

/// Keeps the first trouble.
template <class Real>
void ShallowWater<Real>::look(const State<Real>& now) {
  if (trouble_.cell != kNone) return;
  const auto& ids = decomposition_.cells().to_global;
  const auto note = [&](LocalIndex cell, const char* variable, double value) {
    if (trouble_.cell == kNone || ids[cell] < ids[trouble_.cell])
      trouble_ = {cell, n_steps_, variable, 0, value};
  };
  for (LocalIndex i = 0; i < n_cells_; ++i) {
    const double h = now.thickness()[i], speed = fastest(now, i);
    const double courant = dt_ * limits_.rate(i, waves(now, i) + speed);
    if (!std::isfinite(h) || (h <= 0 && !wind_stays_)) {
      note(i, "layer_thickness", h);
    } else if (!std::isfinite(speed)) {
      note(i, "normal_wind", speed);
    } else if (courant > 1) {
      note(i, "courant_number", courant);
    }
  }
}

/// Collective. Brings the halo of the present state.
template <class Real>
void ShallowWater<Real>::refresh() {
  halo_.start(now_.fields()).wait();
}

template <class Real>
std::int64_t ShallowWater<Real>::memory_bytes() const {
  const auto n_items = n_held(decomposition_, 0, 1), n_edges = n_held(decomposition_, 1, 1);
  const std::size_t fields =
      3 * (n_items + n_edges) + 2 * n_items + 2 * n_edges + 4 * n_held(decomposition_, 2, 1);
  const std::size_t lists = mesh_.edges_on_cell.size() * (2 * sizeof(LocalIndex) + 5 * sizeof(Real)) +
                            mesh_.edges_on_edge.size() * (sizeof(LocalIndex) + sizeof(Real)) +
                            (curvature_ ? curvature_->cells.size() : 0) * (sizeof(LocalIndex) + sizeof(Real));
  return static_cast<std::int64_t>(kLevels * fields * sizeof(Real) + lists);
}

template class ShallowWater<double>;
template class ShallowWater<float>;

std::unique_ptr<Core> make_shallow_water(const comm::Communicator& comm,
                                         const decomposition::LocalMesh& local, const CoreOptions& options,
                                         bool single) {
  if (single) return std::make_unique<ShallowWater<float>>(comm, local, options);
  return std::make_unique<ShallowWater<double>>(comm, local, options);
}

}  // namespace halcyon::atmosphere
