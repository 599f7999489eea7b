#include "halcyon/atmosphere/shallow_water/shallow_water.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

namespace {

/// Room that a step leaves for winds, where they limit it: times their speed, and a share of that of gravity
/// waves, which make winds where there are none.
constexpr double kGrowth = 1.25, kOfWaves = 1.0 / 6;

}  // namespace

template <class Real>
ShallowWater<Real>::ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                                 const CoreOptions& options)
    : Core(comm, local, options.method, kLevels, {field<Real>(0, kLevels), field<Real>(1, kLevels)}),
      part_(comm, local, options),
      sweeps_(local, owned(local.part.shares[0]), owned(local.part.shares[1])),
      now_(halo_),
      first_(halo_),
      second_(halo_) {
  memory_bytes_ = make_zeros(part_.n_held(0, kLevels), ground_, bernoulli_) +
                  make_zeros(part_.n_held(1, kLevels), flux_, pv_edge_) +
                  make_zeros(part_.n_held(2, kLevels), vorticity_, pv_);
  if (options.implicit) {
    implicit_.emplace(part_, decomposition_, options.implicit->tolerance);
    for (LocalIndex i = 0; i < part_.n_cells; ++i)
      finest_ = std::max(finest_, part_.limits.rate(i, 1) - part_.limits.rate(i, 0));
    finest_ = largest(finest_);
  }
  if (options.scheme.dissipates())
    dissipation_.emplace(options.scheme, kLevels, part_.mesh.n_items(), part_.n_edges);
}

template <class Real>
void ShallowWater<Real>::set(const std::string& name, const StartOptions& given) {
  const auto start = make_start(name, given, part_.options.planet);
  const auto& points = part_.cell_points;
  require<ConfigError>(!implicit_ || !start.wind_stays,
                       "Semi-implicit steps do nothing for the start '{}', whose wind stays. Take steps of "
                       "Runge and Kutta, or another start.",
                       name);
  part_.turn_around(start.axis);
  wind_stays_ = start.wind_stays;
  curvature_.reset();
  const auto& scheme = part_.options.scheme;
  if (wind_stays_) curvature_.emplace(part_.mesh, points, scheme.transport_order, scheme.upwinding);
  second_derivatives_.assign(wind_stays_ && !curvature_->empty() ? part_.n_held(0, kSecondDerivatives) : 0,
                             Real{0});
  for (std::size_t i = 0; i < points.size(); ++i) ground_[i] = static_cast<Real>(start.ground(points[i]));
  for (LocalIndex i = 0; i < part_.n_cells; ++i)
    now_.h[i] = static_cast<Real>(start.surface(points[i]) - start.ground(points[i]));
  for (LocalIndex e = 0; e < part_.n_edges; ++e)
    now_.u[e] = static_cast<Real>(part_.vectors.mean_across(start.wind, e));
  set_stages();
}

template <class Real>
void ShallowWater<Real>::set(const GivenState& given) {
  require<InternalError>(given.ground.size() == ground_.size() &&
                             given.surface.size() == static_cast<std::size_t>(part_.n_cells) &&
                             given.wind.size() == static_cast<std::size_t>(part_.n_edges),
                         "A state that is given does not have the sizes of the core.");
  part_.turn_around({0, 0, 1});
  wind_stays_ = false;
  std::ranges::transform(given.ground, ground_.begin(), [](double b) { return static_cast<Real>(b); });
  for (LocalIndex i = 0; i < part_.n_cells; ++i)
    now_.h[i] = static_cast<Real>(given.surface[i] - given.ground[i]);
  std::ranges::transform(given.wind, now_.u.begin(), [](double u) { return static_cast<Real>(u); });
  set_stages();
}

/// Where the wind stays, stages do not write it. What was of another start is forgotten.
template <class Real>
void ShallowWater<Real>::set_stages() {
  forget();
  n_iterations_ = 0;
  for (const auto* state : {&first_, &second_}) std::copy_n(now_.u.begin(), part_.n_edges, state->u.begin());
}

template <class Real>
void ShallowWater<Real>::step(double dt) {
  dt_ = dt;
  implicit_ ? semi_implicit_step(dt) : explicit_step(dt);
  ++n_steps_;
}

/// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
template <class Real>
void ShallowWater<Real>::explicit_step(double dt) {
  const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * dt);
  advance({now_, pair(now_), pair(first_), static_cast<Real>(dt / 3), 0, true});
  advance({first_, pair(now_), pair(second_), static_cast<Real>(dt / 2), 0, false});
  advance({second_, pair(now_), pair(now_), static_cast<Real>(dt), ahead, false});
}

/// Collective. One stage: what needs no halo is computed while it travels.
template <class Real>
void ShallowWater<Real>::advance(const Stage& stage) {
  halo::with_halo(halo_, stage.now.fields(), part_.options.overlap, times_.exchange_s,
                  [&](bool is_early) { sweep(stage, is_early); });
  if (stage.is_first) look(stage.now);
}

template <class Real>
void ShallowWater<Real>::sweep(const Stage& stage, bool is_early) {
  const ScopedTimer timer(times_.compute_s);
  if (wind_stays_) return carry_thickness(stage, is_early);
  const auto h = stage.now.h, u = stage.now.u;
  const auto gravity = static_cast<Real>(part_.options.planet.gravity);
  const auto thickness = [&](const auto& rows) { return rows(h); };
  const auto next = [&](const Sweep& sweep) -> const Runs& {
    halo_.progress();  // between two sweeps what travels has a turn
    return sweep.part(is_early);
  };

  potential_vorticity(part_.mesh, next(sweeps_.vertices), kLevels, part_.coriolis, thickness, u,
                      dissipation_ ? std::span<Real>(vorticity_) : std::span<Real>(), pv_);
  mass_flux(part_.mesh, next(sweeps_.fluxes), kLevels, stage.ahead, thickness, u, pv_, flux_, pv_edge_);
  continuity(part_.mesh, next(sweeps_.continuity), kLevels, stage.dt, flux_, stage.old.thickness,
             stage.next.thickness);
  bernoulli(part_.energy, next(sweeps_.energies), kLevels, gravity, ground_, h, u, bernoulli_);
  momentum(part_.mesh, next(sweeps_.momentum), kLevels, stage.dt, flux_, pv_edge_, bernoulli_, stage.old.wind,
           stage.next.wind);
  if (!dissipation_) return;
  if (stage.is_first) dissipation_->find(part_.mesh, sweeps_, is_early, u, vorticity_);
  if (!is_early) dissipation_->add(sweeps_.winds, stage.dt, stage.next.wind);
}

/// A stage where the wind stays.
template <class Real>
void ShallowWater<Real>::carry_thickness(const Stage& stage, bool is_early) {
  const auto h = stage.now.h, u = stage.now.u;
  second_derivatives<Real>(*curvature_, sweeps_.second_derivatives.part(is_early), kLevels, h,
                           second_derivatives_);
  carried_flux<Real>(part_.mesh, *curvature_, sweeps_.carried.part(is_early), kLevels, u, h,
                     second_derivatives_, flux_);
  continuity(part_.mesh, sweeps_.transport.part(is_early), kLevels, stage.dt, flux_, stage.old.thickness,
             stage.next.thickness);
}

/// The speed [m s-1] of gravity waves.
template <class Real>
double ShallowWater<Real>::waves(const LayerState<Real>& now, LocalIndex cell) const {
  return wind_stays_ ? 0 : std::sqrt(part_.options.planet.gravity * now.h[cell]);
}

/// The Courant number of a second with winds of a speed [m s-1].
template <class Real>
double ShallowWater<Real>::rate(const LayerState<Real>& now, LocalIndex cell, double speed) const {
  if (!implicit_) return part_.limits.rate(cell, waves(now, cell) + speed);
  double turning = 0;
  for (auto j = part_.mesh.cell_offsets[cell]; j < part_.mesh.cell_offsets[cell + 1]; ++j)
    turning = std::max(turning, std::abs(double{part_.coriolis[part_.mesh.vertices_on_cell[j]]}));
  return part_.limits.semi_implicit_rate(cell, speed, turning);
}

template <class Real>
double ShallowWater<Real>::longest_step(bool with_room) {
  refresh();
  double highest = 0;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const auto speed = part_.fastest(now_.u, kLevels, i, 0);
    const auto grown = std::max(kGrowth * speed, kOfWaves * waves(now_, i));
    highest = std::max(highest, rate(now_, i, with_room && implicit_ ? grown : speed));
  }
  return 1 / highest;
}

/// Keeps the first trouble.
template <class Real>
void ShallowWater<Real>::look(const LayerState<Real>& now) {
  if (trouble_.cell != kNone) return;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const double h = now.h[i], speed = part_.fastest(now.u, kLevels, i, 0);
    const double courant = dt_ * rate(now, i, speed);
    if (!std::isfinite(h) || (h <= 0 && !wind_stays_)) {
      note(i, "layer_thickness", 0, h);
    } else if (!std::isfinite(speed)) {
      note(i, "normal_wind", 0, speed);
    } else if (courant > 1) {
      note(i, "courant_number", 0, courant);
    }
  }
}

/// Collective. Brings the halo of the present state.
template <class Real>
void ShallowWater<Real>::refresh() {
  halo_.start(now_.fields()).wait();
}

/// Of stages y_1 .. of Imex, with i the gravity waves on the thickness of the step's start; the last is the
/// new state. A stage is known from the tendencies of those before but for its own waves, which are solved
/// for.
template <class Real>
void ShallowWater<Real>::semi_implicit_step(double dt) {
  const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * std::min(dt, resolving_step()));
  for (int stage = 0; stage < Imex::kStages; ++stage) {
    const auto& now = stage == 0 ? now_ : first_;
    const bool is_last = stage + 1 == Imex::kStages;
    advance({now, implicit_->zeros(), implicit_->tendency(stage), Real{1}, is_last ? ahead : 0, stage == 0});
    if (stage == 0) {
      const ScopedTimer timer(times_.compute_s);
      const auto [rate, push] = implicit_->by_waves(0);
      implicit_->waves.begin(ground_, now_.h, now_.u, Imex::kGamma * dt, rate, push);
    }
    implicit_->sum(stage, dt, pair(now_), pair(second_));
    add_waves(stage, is_last ? now_ : first_);
  }
}

/// Collective. About the longest step [s] that would resolve the waves, the same on all ranks: potential
/// vorticity is anticipated by no more, so that long steps do not smooth it more than short ones.
template <class Real>
double ShallowWater<Real>::resolving_step() const {
  double depth = 0, wind = 0;
  for (const Real h : now_.h.first(part_.n_cells)) depth = std::max(depth, double{h});
  for (const Real u : now_.u.first(part_.n_edges)) wind = std::max(wind, std::abs(double{u}));
  const auto waves = std::sqrt(part_.options.planet.gravity * largest(depth));
  return 1 / (finest_ * (waves + largest(wind)));
}

/// Collective. Of values above zero, of which bits rise as they do.
template <class Real>
double ShallowWater<Real>::largest(double value) const {
  return std::bit_cast<double>(part_.comm.max(std::bit_cast<std::int64_t>(value)));
}

/// Collective. Adds its own waves to the next stage, of which `second_` has all else.
template <class Real>
void ShallowWater<Real>::add_waves(int stage, const LayerState<Real>& found) {
  auto& waves = implicit_->waves;
  const auto [h, u] = pair(second_);
  const auto wind = second_.fields().subspan(1, 1);
  halo::with_halo(implicit_->wind_halo, wind, part_.options.overlap, times_.exchange_s, [&](bool is_early) {
    const ScopedTimer timer(times_.compute_s);
    waves.set_right_side(ground_, h, u, is_early);
  });
  const auto waited_s = waves.exchange_s();
  double all_s = 0;
  const auto result = [&] {
    const ScopedTimer timer(all_s);
    const auto [rate, push] = implicit_->by_waves((stage + 1) % Imex::kStages);
    return waves.solve(h, u, rate, push, found.h, found.u);
  }();
  times_.exchange_s += waves.exchange_s() - waited_s;
  times_.compute_s += all_s - (waves.exchange_s() - waited_s);
  n_iterations_ += result.n_iterations();
  check(result);
}

/// A solution that is not one ends the run; numbers that are not finite are found where they are.
template <class Real>
void ShallowWater<Real>::check(const krylov::Result& result) {
  const bool is_wanting =
      result.outcome != krylov::Outcome::converged && result.outcome != krylov::Outcome::not_finite;
  if (is_wanting && trouble_.cell == kNone)
    trouble_ = {0, n_steps_, "implicit_gravity_waves", 0, result.residual};
}

template class ShallowWater<double>;
template class ShallowWater<float>;

EquationSet shallow_water_set() {
  return {{.name = "shallow_water",
           .text = "One layer of fluid over the ground.",
           .references = "Ringler et al. (2010, J. Comput. Phys. 229)",
           .options = equation_options({})},
          false,
          {"layer_thickness", "normal_wind"},
          {.bytes = 1200, .longest_step_s = 11'800, .halo_work = 0.8},
          shallow_water_variables,
          integral_variables,
          [](const auto& comm, const auto& local, const auto& options, const AirOptions*,
             bool single) -> std::unique_ptr<Core> {
            if (single) return std::make_unique<ShallowWater<float>>(comm, local, options);
            return std::make_unique<ShallowWater<double>>(comm, local, options);
          }};
}

}  // namespace halcyon::atmosphere
