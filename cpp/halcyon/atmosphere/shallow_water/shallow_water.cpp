#include "halcyon/atmosphere/kernels/shallow_water.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "halcyon/atmosphere/dissipation.hpp"
#include "halcyon/atmosphere/rank_domain.hpp"
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

/// Margins of semi-implicit steps: growth of the wind; least wind as a fraction of the gravity-wave speed.
constexpr double kWindGrowth = 1.25, kWaveShare = 1.0 / 6;

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

/// The prognostic fields, in the order in which their halos are exchanged.
template <class Real>
struct LayerState : halo::FieldStorage<Real> {
  /// Collective.
  explicit LayerState(halo::Halo& halo) : halo::FieldStorage<Real>(halo), h((*this)[0]), u((*this)[1]) {}

  std::span<Real> h, u;  ///< [m] (cell), [m s-1] (edge)
};

/// Shallow water: one layer of fluid of thickness h over orography b (Ringler et al. 2010),
///   dh/dt = -div(h u),   du/dt = q (h u)^perp - grad(g (h + b) + K) + dissipation,   q = (f + curl(u)) / h.
template <class Real>
class ShallowWater final : public Core {
 public:
  /// Collective.
  ShallowWater(const comm::Communicator& comm, const decomposition::LocalMesh& local,
               const CoreOptions& options)
      : Core(comm, local, options.method, kLevels,
             {field<Real>(kCells, kLevels), field<Real>(kEdges, kLevels)}),
        domain_(comm, local, options),
        sweeps_(local, owned(local.part.index_maps[kCells]), owned(local.part.index_maps[kEdges]),
                options.scheme.dissipates()),
        now_(halo_),
        stage_1_(halo_),
        stage_2_(halo_) {
    memory_bytes_ = make_zeros(domain_.field_size(kCells, kLevels), orography_, bernoulli_) +
                    make_zeros(domain_.field_size(kEdges, kLevels), flux_, pv_edge_) +
                    make_zeros(domain_.field_size(kVertices, kLevels), vorticity_, pv_);
    if (options.implicit) {
      implicit_.emplace(domain_, decomposition_, options.implicit->tolerance);
      for (LocalIndex i = 0; i < domain_.n_cells; ++i)
        max_rate_ = std::max(max_rate_, domain_.limits.rate(i, 1, 0) - domain_.limits.rate(i, 0, 0));
      max_rate_ = global_max(max_rate_);
    }
    if (options.scheme.dissipates())
      dissipation_.emplace(options.scheme, kLevels, domain_.mesh.n_items(), /*heats=*/false);
  }

  void set(const std::string& name, const StartOptions& options) override {
    const auto start = make_start(name, options, domain_.options.planet);
    const auto& points = domain_.cell_points;
    require<ConfigError>(
        !implicit_ || !start.has_fixed_wind,
        "Semi-implicit steps have no effect with the start '{}', whose wind stays fixed. Use "
        "the Runge-Kutta scheme or another start.",
        name);
    domain_.set_rotation_axis(start.axis);
    has_fixed_wind_ = start.has_fixed_wind;
    curvature_.reset();
    const auto& scheme = domain_.options.scheme;
    if (has_fixed_wind_)
      curvature_.emplace(domain_.mesh, points, domain_.vertex_points, scheme.transport_order,
                         scheme.upwinding);
    second_derivatives_.assign(
        has_fixed_wind_ && !curvature_->empty() ? domain_.field_size(kCells, kSecondDerivatives) : 0,
        Real{0});
    for (std::size_t i = 0; i < points.size(); ++i)
      orography_[i] = static_cast<Real>(start.orography(points[i]));
    for (LocalIndex i = 0; i < domain_.n_cells; ++i)
      now_.h[i] = static_cast<Real>(start.surface(points[i]) - start.orography(points[i]));
    for (LocalIndex e = 0; e < domain_.n_edges; ++e)
      now_.u[e] = static_cast<Real>(domain_.vectors.mean_normal_component(start.wind, e));
    reset_stages();
  }
  void set(const GivenState& given) override {
    require<InternalError>(given.orography.size() == orography_.size() &&
                               given.surface.size() == static_cast<std::size_t>(domain_.n_cells) &&
                               given.wind.size() == static_cast<std::size_t>(domain_.n_edges),
                           "The sizes of the given state differ from those of the core.");
    domain_.set_rotation_axis({0, 0, 1});
    has_fixed_wind_ = false;
    std::ranges::transform(given.orography, orography_.begin(),
                           [](double b) { return static_cast<Real>(b); });
    for (LocalIndex i = 0; i < domain_.n_cells; ++i)
      now_.h[i] = static_cast<Real>(given.surface[i] - given.orography[i]);
    std::ranges::transform(given.wind, now_.u.begin(), [](double u) { return static_cast<Real>(u); });
    reset_stages();
  }
  void take_step(double dt) override { implicit_ ? semi_implicit_step(dt) : explicit_step(dt); }
  std::vector<fields::Variable> variables() const override { return shallow_water_variables(); }
  std::vector<fields::Variable> integral_variables() const override {
    return atmosphere::integral_variables();
  }
  FieldView prognostic(const std::string& name) override {
    if (name == "layer_thickness") return now_.h.first(domain_.n_cells);
    if (name == "ground") return std::span<Real>(orography_).first(domain_.n_cells);
    require<InternalError>(name == "normal_wind", "'{}' is not a prognostic variable of shallow water.",
                           name);
    return now_.u.first(domain_.n_edges);
  }
  std::vector<std::vector<double>> products(const std::vector<std::string>& names) override {
    diagnose();
    std::vector<std::vector<double>> result;
    for (const auto& name : names) {
      const auto& product = find_product(product_table(), name, "atmosphere");
      auto& values = result.emplace_back(domain_.n_cells);
      for (LocalIndex i = 0; i < domain_.n_cells; ++i) values[i] = product.value({*this, i});
    }
    return result;
  }
  /// Mass M = sum_i A_i h_i, energy E = sum_i A_i h_i (K_i + g (h_i/2 + b_i)), potential enstrophy Z = sum_v
  /// A_v h_v q_v^2 / 2, angular momentum L = sum_i A_i h_i a . (r x u + r^2 Omega), a the axis of rotation
  std::vector<double> integrals() override {
    diagnose();
    const LevelBlock<Real, 1> rows(kLevels, 0);
    const auto& planet = domain_.options.planet;
    std::array<ExactSum, kIntegrals> sums;
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      const double h = now_.h[i], mass = domain_.mesh.cell_area[i] * h;
      const double kinetic = kinetic_energy(domain_.mesh, rows(now_.u), i);
      const auto wind = domain_.eastward_northward(now_.u, kLevels, i, 0);
      sums[kMass].add(mass);
      sums[kEnergy].add(mass * (kinetic + planet.gravity * (h / 2 + orography_[i])));
      sums[kAngularMomentum].add(mass * domain_.angular_momentum(i, wind));
    }
    for (LocalIndex v = 0; v < domain_.n_vertices; ++v) {
      const double h = at_vertex(domain_.mesh, rows(now_.h), v), q = pv_[v];
      sums[kEnstrophy].add(domain_.mesh.vertex_area[v] * h * q * q / 2);
    }
    return comm::global_sums(domain_.comm, sums);
  }
  double longest_step() override { return longest_step(/*with_margin=*/false); }
  double longest_step_with_margin() override { return longest_step(/*with_margin=*/true); }
  std::int64_t n_iterations() const override { return n_iterations_; }
  std::int64_t memory_bytes() const override {
    const auto states = 3 * (now_.h.size() + now_.u.size());
    const auto dissipation = dissipation_ ? dissipation_->memory_bytes() : 0;
    const auto curvature = curvature_ ? curvature_->memory_bytes() : 0;
    const auto implicit = implicit_ ? implicit_->memory_bytes() : 0;
    return static_cast<std::int64_t>((states + second_derivatives_.size()) * sizeof(Real)) + memory_bytes_ +
           curvature + dissipation + domain_.mesh.memory_bytes() + implicit;
  }
  std::vector<double> orography() const override {
    return {orography_.begin(), orography_.begin() + domain_.n_cells};
  }

  /// An owned cell of the present state, whose diagnostic fields must be up to date.
  struct Point {
    const ShallowWater& core;
    LocalIndex cell;

    std::array<double, 2> wind() const {
      return core.domain_.eastward_northward(core.now_.u, kLevels, cell, 0);
    }
  };
  /// All products, in the order of the table of variables. A new product needs only a row here.
  static const std::vector<Product<Point>>& product_table() {
    const auto output = [](const char* name, const char* units, const char* standard_name,
                           const char* long_name) {
      return output_variable(name, {"cell"}, units, standard_name, long_name);
    };
    static const LevelBlock<Real, 1> layer(kLevels, 0);
    static const std::vector<Product<Point>> rows = {
        {output("height", "m", "", "height of the fluid's surface"),
         [](const Point& p) { return double{p.core.now_.h[p.cell]} + p.core.orography_[p.cell]; }},
        {output("thickness", "m", "", "thickness of the fluid"),
         [](const Point& p) { return double{p.core.now_.h[p.cell]}; }},
        {output("eastward_wind", "m s-1", "eastward_wind", "eastward wind"),
         [](const Point& p) { return p.wind()[0]; }},
        {output("northward_wind", "m s-1", "northward_wind", "northward wind"),
         [](const Point& p) { return p.wind()[1]; }},
        {output("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"),
         [](const Point& p) {
           return double{at_cell(p.core.domain_.mesh, layer(p.core.vorticity_), p.cell)};
         }},
        {output("potential_vorticity", "m-1 s-1", "", "potential vorticity"),
         [](const Point& p) { return double{at_cell(p.core.domain_.mesh, layer(p.core.pv_), p.cell)}; }},
        {output("divergence", "s-1", "divergence_of_wind", "divergence of the wind"),
         [](const Point& p) {
           return double{operators::divergence(p.core.domain_.mesh, layer(p.core.now_.u), p.cell)};
         }},
        {output("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass"),
         [](const Point& p) {
           return double{kinetic_energy(p.core.domain_.mesh, layer(p.core.now_.u), p.cell)};
         }},
    };
    return rows;
  }

 private:
  using Values = LargeArray<Real>;

  /// One Runge-Kutta stage: next = old + dt f(now), for owned cells and edges.
  struct Stage {
    const LayerState<Real>& now;
    LayerFields<Real> old, next;
    Real dt;             ///< [s]
    Real upstream_time;  ///< time by which potential vorticity is anticipated [s]; 0 except in the last stage
    bool is_first = false, is_last = false;
  };

  /// Resets the run, and copies the wind to the states of the stages, where a fixed wind is not computed.
  void reset_stages() {
    reset_run_state();
    n_iterations_ = 0;
    for (const auto* state : {&stage_1_, &stage_2_})
      std::copy_n(now_.u.begin(), domain_.n_edges, state->u.begin());
  }
  /// X* = X + dt/3 f(X),  X** = X + dt/2 f(X*),  X_new = X + dt f(X**), X = (h, u)
  void explicit_step(double dt) {
    const auto upstream_time = static_cast<Real>(domain_.options.scheme.anticipation * dt);
    const auto old = views_of(now_);
    advance({now_, old, views_of(stage_1_), Real(dt / 3), /*upstream_time=*/0, /*is_first=*/true});
    advance({stage_1_, old, views_of(stage_2_), Real(dt / 2), /*upstream_time=*/0});
    advance({stage_2_, old, old, Real(dt), upstream_time, /*is_first=*/false, /*is_last=*/true});
  }
  /// Computes the stages y_1 .. y_3 of Imex; y_3 is the new state. Each stage is an explicit part, the sum of
  /// earlier tendencies, plus its implicit gravity-wave terms.
  void semi_implicit_step(double dt) {
    const auto upstream_time =
        static_cast<Real>(domain_.options.scheme.anticipation * std::min(dt, explicit_step_limit()));
    for (int stage = 0; stage < Imex::kStages; ++stage) {
      const auto& now = stage == 0 ? now_ : stage_1_;
      const bool is_last = stage + 1 == Imex::kStages;
      advance({now, implicit_->zeros(), implicit_->tendency(stage), /*dt=*/Real{1},
               is_last ? upstream_time : 0, /*is_first=*/stage == 0, is_last});
      if (stage == 0) {
        const ScopedTimer timer(times_.compute_s);
        const auto [rate, acceleration] = implicit_->wave_tendency(0);
        implicit_->waves.begin(orography_, now_.h, now_.u, Imex::kGamma * dt, rate, acceleration);
      }
      implicit_->compute_explicit_part(stage, dt, views_of(now_), views_of(stage_2_));
      add_gravity_waves(stage, is_last ? now_ : stage_1_);
    }
  }
  /// Collective. Approximate stability limit of explicit steps [s], equal on all ranks. It limits the
  /// anticipation time, so that long steps do not smooth potential vorticity more than short steps do.
  double explicit_step_limit() const {
    double depth = 0, wind = 0;
    for (const Real h : now_.h.first(domain_.n_cells)) depth = std::max(depth, double{h});
    for (const Real u : now_.u.first(domain_.n_edges)) wind = std::max(wind, std::abs(double{u}));
    const auto waves = std::sqrt(domain_.options.planet.gravity * global_max(depth));
    return 1 / (max_rate_ * (waves + global_max(wind)));
  }
  /// Collective. Maximum over ranks of values >= 0, whose bit patterns are ordered like the values.
  double global_max(double value) const {
    return std::bit_cast<double>(domain_.comm.max(std::bit_cast<std::int64_t>(value)));
  }
  /// Collective. Adds the implicit gravity waves of a stage to the explicit part of the stage in `stage_2_`.
  void add_gravity_waves(int stage, const LayerState<Real>& result) {
    auto& waves = implicit_->waves;
    const auto [h, u] = views_of(stage_2_);
    const auto wind = stage_2_.fields().subspan(1, 1);  // u, the second field of LayerState
    halo::with_halo(implicit_->wind_halo, wind, domain_.options.overlap, times_.exchange_s,
                    [&](bool is_inner) {
                      const ScopedTimer timer(times_.compute_s);
                      waves.set_right_side(orography_, h, u, is_inner);
                    });
    const auto waited_s = waves.exchange_s();
    double total_s = 0;
    const auto solution = [&] {
      const ScopedTimer timer(total_s);
      // Tendencies of y_(stage + 1). After the last stage nothing reads them: `begin` overwrites them.
      const auto [rate, acceleration] = implicit_->wave_tendency((stage + 1) % Imex::kStages);
      return waves.solve(h, u, rate, acceleration, result.h, result.u);
    }();
    times_.exchange_s += waves.exchange_s() - waited_s;
    times_.compute_s += total_s - (waves.exchange_s() - waited_s);
    n_iterations_ += solution.n_iterations();
    check_solution(solution);
  }
  /// Records a failure of the linear solver, at cell 0 for all; `check_state` records values not finite.
  void check_solution(const krylov::Result& result) {
    using enum krylov::Outcome;
    const bool has_failed = result.outcome != converged && result.outcome != not_finite;
    if (has_failed && failure_.cell == kNone)
      failure_ = {
          .cell = 0, .step = n_steps_, .variable = "implicit_gravity_waves", .value = result.residual};
  }
  static LayerFields<Real> views_of(const LayerState<Real>& state) { return {state.h, state.u}; }
  /// Collective. Computes one stage; inner cells are computed during the halo exchange.
  void advance(const Stage& stage) {
    halo::with_halo(halo_, stage.now.fields(), domain_.options.overlap, times_.exchange_s,
                    [&](bool is_inner) { run_sweeps(stage, is_inner); });
    if (!stage.is_first) return;
    check_state(stage.now);
    agree_on_step(domain_.cell_points);
  }
  void run_sweeps(const Stage& stage, bool is_inner) {
    const ScopedTimer timer(times_.compute_s);
    if (has_fixed_wind_) return advect_thickness(stage, is_inner);
    const auto h = stage.now.h, u = stage.now.u;
    const auto gravity = static_cast<Real>(domain_.options.planet.gravity);
    const auto thickness = [&](const auto& rows) { return rows(h); };
    const auto items_of = [&](const Sweep& sweep) -> const IndexRanges& {
      halo_.progress();  // polls MPI between two sweeps
      return sweep.part(is_inner);
    };

    const bool dissipates = dissipation_ && stage.is_last;
    if (dissipates) dissipation_->compute(domain_.mesh, sweeps_, is_inner, u);
    potential_vorticity(domain_.mesh, items_of(sweeps_.vertices), kLevels,
                        domain_.options.scheme.sharp_vorticity, domain_.coriolis, thickness, u,
                        /*zeta=*/std::span<Real>(), pv_);
    mass_flux(domain_.mesh, items_of(sweeps_.fluxes), kLevels, stage.upstream_time, thickness, u, pv_, flux_,
              pv_edge_);
    continuity(domain_.mesh, items_of(sweeps_.continuity), kLevels, stage.dt, flux_, stage.old.thickness,
               stage.next.thickness);
    bernoulli(domain_.energy, items_of(sweeps_.energies), kLevels, gravity, orography_, h, u, bernoulli_);
    momentum(domain_.mesh, items_of(sweeps_.momentum), kLevels, stage.dt, flux_, pv_edge_, bernoulli_,
             dissipates ? dissipation_->tendency() : std::span<Real>(), stage.old.wind, stage.next.wind);
  }
  void advect_thickness(const Stage& stage, bool is_inner) {
    const auto h = stage.now.h, u = stage.now.u;
    second_derivatives<Real>(*curvature_, sweeps_.second_derivatives.part(is_inner), kLevels, h,
                             second_derivatives_);
    advected_flux<Real>(domain_.mesh, *curvature_, sweeps_.advected_fluxes.part(is_inner), kLevels, u, h,
                        second_derivatives_, flux_);
    continuity(domain_.mesh, sweeps_.transport.part(is_inner), kLevels, stage.dt, flux_, stage.old.thickness,
               stage.next.thickness);
  }
  void check_state(const LayerState<Real>& now) {
    if (failure_.cell != kNone) return;
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      const double h = now.h[i], speed = domain_.max_normal_wind(now.u, kLevels, i, 0);
      const double courant = dt_ * rate(now, i, speed);
      if (!std::isfinite(h) || (h <= 0 && !has_fixed_wind_))
        record_failure(i, "layer_thickness", 0, h);
      else if (!std::isfinite(speed))
        record_failure(i, "normal_wind", 0, speed);
      else if (courant > kLargestCourantNumber)
        record_failure(i, "courant_number", 0, courant);
    }
  }
  /// Collective. Exchanges the halo of the present state.
  void exchange_halo() { halo_.start(now_.fields()).wait(); }
  /// Collective. Exchanges the halo, and computes relative and potential vorticity.
  void diagnose() {
    exchange_halo();
    check_state(now_);
    const auto thickness = [&](const auto& rows) { return rows(now_.h); };
    for (const bool is_inner : {true, false})
      potential_vorticity(domain_.mesh, sweeps_.vertices.part(is_inner), kLevels, /*sharp=*/false,
                          domain_.coriolis, thickness, now_.u, vorticity_, pv_);
  }
  double longest_step(bool with_margin) {
    exchange_halo();
    double highest_rate = 0;
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      const auto speed = domain_.max_normal_wind(now_.u, kLevels, i, 0);
      const auto assumed_speed = std::max(kWindGrowth * speed, kWaveShare * wave_speed(now_, i));
      highest_rate = std::max(highest_rate, rate(now_, i, with_margin && implicit_ ? assumed_speed : speed));
    }
    return 1 / highest_rate;
  }
  /// Gravity-wave speed [m s-1].
  double wave_speed(const LayerState<Real>& now, LocalIndex cell) const {
    return has_fixed_wind_ ? 0 : std::sqrt(domain_.options.planet.gravity * now.h[cell]);
  }
  /// Courant number per second of time step for a wind speed [m s-1].
  double rate(const LayerState<Real>& now, LocalIndex cell, double speed) const {
    if (!implicit_) return domain_.limits.rate(cell, wave_speed(now, cell), speed);
    double coriolis = 0;
    for (auto j = domain_.mesh.cell_offsets[cell]; j < domain_.mesh.cell_offsets[cell + 1]; ++j)
      coriolis = std::max(coriolis, std::abs(double{domain_.coriolis[domain_.mesh.vertices_on_cell[j]]}));
    return domain_.limits.semi_implicit_rate(cell, speed, coriolis);
  }

  static constexpr int kLevels = 1;

  RankDomain<Real> domain_;
  Sweeps sweeps_;
  std::optional<Curvature<Real>> curvature_;             ///< empty without a fixed wind
  std::optional<SemiImplicitWorkspace<Real>> implicit_;  ///< empty for explicit steps
  LayerState<Real> now_, stage_1_, stage_2_;             ///< the state, and states of the stages
  bool has_fixed_wind_ = false;
  double max_rate_ = 0;  ///< largest Courant number per second and m s-1 on all ranks; semi-implicit only
  std::int64_t n_iterations_ = 0;
  Values orography_, bernoulli_;  ///< (cell), (cell, level)
  Values second_derivatives_;     ///< of the thickness (cell, derivative, level), with a fixed wind
  Values vorticity_, pv_;         ///< (vertex, level); vorticity_ for output and dissipation only
  Values flux_, pv_edge_;         ///< (edge, level)
  std::optional<Dissipation<Real>> dissipation_;  ///< empty without dissipation
  std::int64_t memory_bytes_;                     ///< of orography_ to pv_edge_, without second_derivatives_
};

}  // namespace

const std::vector<fields::Variable>& shallow_water_variables() {
  static const auto table = [] {
    std::vector<fields::Variable> rows = {
        restart_variable("layer_thickness", {"cell"}, "m", "thickness of the fluid"),
        restart_variable("ground", {"cell"}, "m", "height of the ground"),
        restart_variable("normal_wind", {"edge"}, "m s-1",
                         "wind across the edges, from their first cell to their second"),
    };
    for (const auto& product : ShallowWater<double>::product_table()) rows.push_back(product.variable);
    rows.push_back(topography_variable("cell"));
    return rows;
  }();
  return table;
}

const std::vector<fields::Variable>& integral_variables() {
  static const std::vector<fields::Variable> table = {
      integral_variable("mass", "m3", "volume of the fluid"),
      integral_variable("energy", "m5 s-2", "kinetic and potential energy over density"),
      integral_variable("potential_enstrophy", "m s-2",
                        "half the thickness times the potential vorticity squared"),
      integral_variable("angular_momentum", "m5 s-1",
                        "angular momentum around the axis of the planet over density"),
  };
  return table;
}

EquationSet shallow_water_set() {
  return {{.name = "shallow_water",
           .text = "Shallow-water equations.",
           .references = "Ringler et al. (2010, J. Comput. Phys. 229)",
           .options = equation_options({})},
          /*has_levels=*/false,
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
