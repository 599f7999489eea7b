#include "halcyon/atmosphere/kernels/shallow_water.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "halcyon/atmosphere/dissipation.hpp"
#include "halcyon/atmosphere/globe_part.hpp"
#include "halcyon/atmosphere/shallow_water/semi_implicit.hpp"
#include "halcyon/atmosphere/variables.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/large_pages.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

namespace {

/// Room that a step leaves for winds, where they limit it: times their speed, and a share of that of gravity
/// waves, which make winds where there are none.
constexpr double kGrowth = 1.25, kOfWaves = 1.0 / 6;

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

/// What is stepped, and exchanged in this order.
template <class Real>
struct LayerState : halo::Group<Real> {
  /// Collective.
  explicit LayerState(const halo::Halo& halo) : halo::Group<Real>(halo), h((*this)[0]), u((*this)[1]) {}

  std::span<Real> h, u;  ///< [m] (cell), [m s-1] (edge)
};

/// Shallow water: one layer of fluid of thickness h above the ground b (Ringler et al. 2010),
///   dh/dt = -div(h u),   du/dt = q (h u)^perp - grad(g (h + b) + K) + dissipation,   q = (f + curl(u)) / h.
template <class Real>
class ShallowWater final : public Core {
 public:
  /// Collective.
  ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
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

  void set(const std::string& name, const StartOptions& given) override {
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
      now_.u[e] = static_cast<Real>(part_.vectors.mean_normal_component(start.wind, e));
    set_stages();
  }
  void set(const GivenState& given) override {
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
  void step(double dt) override {
    dt_ = dt;
    implicit_ ? semi_implicit_step(dt) : explicit_step(dt);
    ++n_steps_;
  }
  std::vector<fields::Variable> variables() const override { return shallow_water_variables(); }
  std::vector<fields::Variable> integral_variables() const override {
    return atmosphere::integral_variables();
  }
  Numbers prognostic(const std::string& name) override {
    if (name == "layer_thickness") return now_.h.first(part_.n_cells);
    if (name == "ground") return std::span<Real>(ground_).first(part_.n_cells);
    require<InternalError>(name == "normal_wind", "'{}' is no state of shallow water.", name);
    return now_.u.first(part_.n_edges);
  }
  std::vector<std::vector<double>> products(const std::vector<std::string>& wanted) override {
    diagnose();
    std::vector<std::vector<double>> found;
    for (const auto& name : wanted) {
      const auto& product = product_named(product_rows(), name, "atmosphere");
      auto& values = found.emplace_back(part_.n_cells);
      for (LocalIndex i = 0; i < part_.n_cells; ++i) values[i] = product.value({*this, i});
    }
    return found;
  }
  /// M = sum_i A_i h_i,  E = sum_i A_i h_i (K_i + g (h_i/2 + b_i)),  Z = sum_v A_v h_v q_v^2 / 2,
  /// L = sum_i A_i h_i a . (r x u + r^2 Omega): along the axis a
  std::vector<double> integrals() override {
    diagnose();
    const Block<Real, 1> rows(kLevels, 0);
    const auto& planet = part_.options.planet;
    std::array<ExactSum, kIntegrals> sums;
    for (LocalIndex i = 0; i < part_.n_cells; ++i) {
      const double h = now_.h[i], mass = part_.mesh.cell_area[i] * h;
      const double kinetic = kinetic_energy(part_.mesh, rows(now_.u), i);
      const auto wind = part_.eastward_northward(now_.u, kLevels, i, 0);
      sums[kMass].add(mass);
      sums[kEnergy].add(mass * (kinetic + planet.gravity * (h / 2 + ground_[i])));
      sums[kAngularMomentum].add(mass * part_.angular_momentum(i, wind));
    }
    for (LocalIndex v = 0; v < part_.n_vertices; ++v) {
      const double h = at_vertex(part_.mesh, rows(now_.h), v), q = pv_[v];
      sums[kEnstrophy].add(part_.mesh.vertex_area[v] * h * q * q / 2);
    }
    return comm::totals(part_.comm, sums);
  }
  double longest_step() override { return longest_step(false); }
  double longest_step_with_room() override { return longest_step(true); }
  std::int64_t n_iterations() const override { return n_iterations_; }
  std::int64_t memory_bytes() const override {
    const auto states = 3 * (now_.h.size() + now_.u.size());
    const auto dissipation = dissipation_ ? dissipation_->memory_bytes() : 0;
    const auto curvature = curvature_ ? curvature_->memory_bytes() : 0;
    const auto implicit = implicit_ ? implicit_->memory_bytes() : 0;
    return static_cast<std::int64_t>((states + second_derivatives_.size()) * sizeof(Real)) + memory_bytes_ +
           curvature + dissipation + part_.mesh.memory_bytes() + implicit;
  }
  std::vector<double> ground() const override { return {ground_.begin(), ground_.begin() + part_.n_cells}; }

  /// An owned cell of the present state, once it is diagnosed.
  struct Point {
    const ShallowWater& core;
    LocalIndex cell;

    std::array<double, 2> wind() const {
      return core.part_.eastward_northward(core.now_.u, kLevels, cell, 0);
    }
  };
  /// Every product, in the order of the table of variables. To add one is to add its row here.
  static const std::vector<Product<Point>>& product_rows() {
    const auto map = [](const char* name, const char* units, const char* standard_name,
                        const char* long_name) {
      return output_row(name, {"cell"}, units, standard_name, long_name);
    };
    static const Block<Real, 1> layer(kLevels, 0);
    static const std::vector<Product<Point>> rows = {
        {map("height", "m", "", "height of the fluid's surface"),
         [](const Point& at) { return double{at.core.now_.h[at.cell]} + at.core.ground_[at.cell]; }},
        {map("thickness", "m", "", "thickness of the fluid"),
         [](const Point& at) { return double{at.core.now_.h[at.cell]}; }},
        {map("eastward_wind", "m s-1", "eastward_wind", "eastward wind"),
         [](const Point& at) { return at.wind()[0]; }},
        {map("northward_wind", "m s-1", "northward_wind", "northward wind"),
         [](const Point& at) { return at.wind()[1]; }},
        {map("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"),
         [](const Point& at) {
           return double{at_cell(at.core.part_.mesh, layer(at.core.vorticity_), at.cell)};
         }},
        {map("potential_vorticity", "m-1 s-1", "", "potential vorticity"),
         [](const Point& at) { return double{at_cell(at.core.part_.mesh, layer(at.core.pv_), at.cell)}; }},
        {map("divergence", "s-1", "divergence_of_wind", "divergence of the wind"),
         [](const Point& at) {
           return double{operators::divergence(at.core.part_.mesh, layer(at.core.now_.u), at.cell)};
         }},
        {map("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass"),
         [](const Point& at) {
           return double{kinetic_energy(at.core.part_.energy, layer(at.core.now_.u), at.cell)};
         }},
    };
    return rows;
  }

 private:
  using Values = Large<Real>;

  /// One stage of a step: new = old + dt f(now); the thickness of owned cells, the wind of owned edges.
  struct Stage {
    const LayerState<Real>& now;
    Pair<Real> old, next;
    Real dt;     ///< [s]
    Real ahead;  ///< how far potential vorticity is taken upstream [s]: in the last stage
    bool is_first;
  };

  /// Where the wind stays, stages do not write it. What was of another start is forgotten.
  void set_stages() {
    forget();
    n_iterations_ = 0;
    for (const auto* state : {&first_, &second_})
      std::copy_n(now_.u.begin(), part_.n_edges, state->u.begin());
  }
  /// phi* = phi + dt/3 f(phi),  phi** = phi + dt/2 f(phi*),  phi_new = phi + dt f(phi**)
  void explicit_step(double dt) {
    const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * dt);
    advance({now_, pair(now_), pair(first_), static_cast<Real>(dt / 3), 0, true});
    advance({first_, pair(now_), pair(second_), static_cast<Real>(dt / 2), 0, false});
    advance({second_, pair(now_), pair(now_), static_cast<Real>(dt), ahead, false});
  }
  /// Of stages y_1 .. of Imex, with i the gravity waves on the thickness of the step's start; the last is the
  /// new state. A stage is known from the tendencies of those before but for its own waves, which are solved
  /// for.
  void semi_implicit_step(double dt) {
    const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * std::min(dt, resolving_step()));
    for (int stage = 0; stage < Imex::kStages; ++stage) {
      const auto& now = stage == 0 ? now_ : first_;
      const bool is_last = stage + 1 == Imex::kStages;
      advance(
          {now, implicit_->zeros(), implicit_->tendency(stage), Real{1}, is_last ? ahead : 0, stage == 0});
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
  double resolving_step() const {
    double depth = 0, wind = 0;
    for (const Real h : now_.h.first(part_.n_cells)) depth = std::max(depth, double{h});
    for (const Real u : now_.u.first(part_.n_edges)) wind = std::max(wind, std::abs(double{u}));
    const auto waves = std::sqrt(part_.options.planet.gravity * largest(depth));
    return 1 / (finest_ * (waves + largest(wind)));
  }
  /// Collective. Of values above zero, of which bits rise as they do.
  double largest(double value) const {
    return std::bit_cast<double>(part_.comm.max(std::bit_cast<std::int64_t>(value)));
  }
  /// Collective. Adds its own waves to the next stage, of which `second_` has all else.
  void add_waves(int stage, const LayerState<Real>& found) {
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
  void check(const krylov::Result& result) {
    const bool is_wanting =
        result.outcome != krylov::Outcome::converged && result.outcome != krylov::Outcome::not_finite;
    if (is_wanting && trouble_.cell == kNone)
      trouble_ = {0, n_steps_, "implicit_gravity_waves", 0, result.residual};
  }
  static Pair<Real> pair(const LayerState<Real>& state) { return {state.h, state.u}; }
  /// Collective. One stage: what needs no halo is computed while it travels.
  void advance(const Stage& stage) {
    halo::with_halo(halo_, stage.now.fields(), part_.options.overlap, times_.exchange_s,
                    [&](bool is_early) { sweep(stage, is_early); });
    if (stage.is_first) look(stage.now);
  }
  void sweep(const Stage& stage, bool is_early) {
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
    momentum(part_.mesh, next(sweeps_.momentum), kLevels, stage.dt, flux_, pv_edge_, bernoulli_,
             stage.old.wind, stage.next.wind);
    if (!dissipation_) return;
    if (stage.is_first) dissipation_->find(part_.mesh, sweeps_, is_early, u, vorticity_);
    if (!is_early) dissipation_->add(sweeps_.winds, stage.dt, stage.next.wind);
  }
  /// A stage where the wind stays.
  void carry_thickness(const Stage& stage, bool is_early) {
    const auto h = stage.now.h, u = stage.now.u;
    second_derivatives<Real>(*curvature_, sweeps_.second_derivatives.part(is_early), kLevels, h,
                             second_derivatives_);
    advected_flux<Real>(part_.mesh, *curvature_, sweeps_.carried.part(is_early), kLevels, u, h,
                       second_derivatives_, flux_);
    continuity(part_.mesh, sweeps_.transport.part(is_early), kLevels, stage.dt, flux_, stage.old.thickness,
               stage.next.thickness);
  }
  /// Keeps the first trouble.
  void look(const LayerState<Real>& now) {
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
  void refresh() { halo_.start(now_.fields()).wait(); }
  /// Collective. Brings the halo of the present state, and what follows from it around the owned cells.
  void diagnose() {
    refresh();
    look(now_);
    const auto thickness = [&](const auto& rows) { return rows(now_.h); };
    for (const bool is_early : {true, false})
      potential_vorticity(part_.mesh, sweeps_.vertices.part(is_early), kLevels, part_.coriolis, thickness,
                          now_.u, vorticity_, pv_);
  }
  double longest_step(bool with_room) {
    refresh();
    double highest = 0;
    for (LocalIndex i = 0; i < part_.n_cells; ++i) {
      const auto speed = part_.fastest(now_.u, kLevels, i, 0);
      const auto grown = std::max(kGrowth * speed, kOfWaves * waves(now_, i));
      highest = std::max(highest, rate(now_, i, with_room && implicit_ ? grown : speed));
    }
    return 1 / highest;
  }
  /// The speed [m s-1] of gravity waves.
  double waves(const LayerState<Real>& now, LocalIndex cell) const {
    return wind_stays_ ? 0 : std::sqrt(part_.options.planet.gravity * now.h[cell]);
  }
  /// The Courant number of a second with winds of a speed [m s-1].
  double rate(const LayerState<Real>& now, LocalIndex cell, double speed) const {
    if (!implicit_) return part_.limits.rate(cell, waves(now, cell) + speed);
    double turning = 0;
    for (auto j = part_.mesh.cell_offsets[cell]; j < part_.mesh.cell_offsets[cell + 1]; ++j)
      turning = std::max(turning, std::abs(double{part_.coriolis[part_.mesh.vertices_on_cell[j]]}));
    return part_.limits.semi_implicit_rate(cell, speed, turning);
  }

  static constexpr int kLevels = 1;

  GlobePart<Real> part_;
  Sweeps sweeps_;
  std::optional<Curvature<Real>> curvature_;    ///< where the wind stays
  std::optional<SemiImplicit<Real>> implicit_;  ///< where gravity waves are implicit
  LayerState<Real> now_, first_, second_;
  bool wind_stays_ = false;
  double finest_ = 0;  ///< largest Courant number on the globe of a second of 1 m/s, where implicit
  std::int64_t n_iterations_ = 0;
  Values ground_;              ///< (cell)
  Values bernoulli_;           ///< (cell, level)
  Values second_derivatives_;  ///< of the thickness (cell, derivative, level), where it has any
  Values vorticity_, pv_;      ///< (vertex, level); the first only where files or dissipation ask for it
  Values flux_, pv_edge_;      ///< (edge, level)
  std::optional<Dissipation<Real>> dissipation_;  ///< where there is any
  std::int64_t memory_bytes_;                     ///< of all these fields but second derivatives
};

}  // namespace

const std::vector<fields::Variable>& shallow_water_variables() {
  static const auto table = [] {
    std::vector<fields::Variable> rows = {
        state_row("layer_thickness", {"cell"}, "m", "thickness of the fluid"),
        state_row("ground", {"cell"}, "m", "height of the ground"),
        state_row("normal_wind", {"edge"}, "m s-1",
                  "wind across the edges, from their first cell to their second"),
    };
    for (const auto& product : ShallowWater<double>::product_rows()) rows.push_back(product.variable);
    rows.push_back(topography_row());
    return rows;
  }();
  return table;
}

const std::vector<fields::Variable>& integral_variables() {
  static const std::vector<fields::Variable> table = {
      integral_row("mass", "m3", "volume of the fluid"),
      integral_row("energy", "m5 s-2", "kinetic and potential energy over density"),
      integral_row("potential_enstrophy", "m s-2",
                   "half the thickness times the potential vorticity squared"),
      integral_row("angular_momentum", "m5 s-1",
                   "angular momentum around the axis of the planet over density"),
  };
  return table;
}

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
