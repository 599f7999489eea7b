#pragma once

#include <optional>
#include <vector>

#include "halcyon/atmosphere/air/columns.hpp"
#include "halcyon/atmosphere/air/moist_column.hpp"
#include "halcyon/atmosphere/air/viscosity.hpp"
#include "halcyon/atmosphere/dissipation.hpp"
#include "halcyon/atmosphere/kernels/air.hpp"
#include "halcyon/atmosphere/tracers.hpp"
#include "halcyon/atmosphere/variables.hpp"
#include "halcyon/physics/columns.hpp"

namespace halcyon::atmosphere {

/// The column physics of the air. Tendencies are computed once per step, from the state at its start, and are
/// constant during the step, but the drag, -r u, follows the wind of each stage. Wind tendencies in cells are
/// exchanged, averaged to edges and projected on their normals.
template <class Real>
class AirPhysics {
 public:
  /// Collective. @param local has at least one halo layer; not used after this call
  /// @param variables the variables of the core  @throws ConfigError as `physics::ColumnPhysics`
  AirPhysics(const decomposition::LocalMesh& local, const RankDomain<Real>& domain, const AirOptions& air,
             bool has_interfaces, const std::vector<fields::Variable>& variables);

  /// Collective. Computes the tendencies of a step dt [s].
  /// @param now the state at its start, with halo values of the wind
  /// @param surface_geopotential [m2 s-2] (cell)  @param tracers null without tracers
  /// @param loading 1 + q_t (cell, level); empty for dry air
  void compute(double dt, const AirStateView<Real>& now, std::span<const Real> surface_geopotential,
               const Tracers<Real>* tracers, std::span<const Real> loading, WallTimes& times);
  /// Adds the tendencies times dt [s] to the owned values of `next`; `now` has the winds of the drag.
  void add(const AirStateView<Real>& now, const AirStateView<Real>& next, Real dt);
  void add(Tracers<Real>& tracers, Real dt) const;
  Forcing<Real> forcing() { return {theta_tendency_, wind_tendency_, edge_drag_}; }

  physics::ColumnPhysics& columns() { return columns_; }
  const physics::ColumnPhysics& columns() const { return columns_; }
  std::int64_t memory_bytes() const;

 private:
  using State = physics::ColumnPhysics::State;
  using Tendencies = physics::ColumnPhysics::Tendencies;
  /// Weights of the eastward and northward components in both cells of an edge for the mean along its normal.
  struct EdgeWeights {
    std::array<Real, 2> eastward, northward;
  };

  void load(State& state, std::size_t first, std::size_t n, const AirStateView<Real>& now,
            std::span<const Real> surface_geopotential, std::span<const Real> loading) const;
  void load_winds(State& state, std::size_t first, std::size_t n, std::span<const Real> u);
  void store(double dt, const State& state, const Tendencies& tendencies, std::size_t first, std::size_t n);
  void average_to_edges();

  const RankDomain<Real>& domain_;
  AirOptions air_;
  bool has_interfaces_;
  int n_levels_;
  HybridCoefficients<double> hybrid_;
  physics::ColumnPhysics columns_;
  std::optional<halo::Halo> halo_;  ///< of the wind tendencies; empty if no scheme changes the wind
  std::optional<halo::FieldStorage<Real>>
      cell_tendencies_;                    ///< east, north [m s-2], drag [s-1] (cell, level)
  std::vector<EdgeWeights> edge_weights_;  ///< (owned edge)
  LargeArray<Real> theta_tendency_;        ///< [K s-1] (owned cell, level); empty without heating
  LargeArray<Real> wind_tendency_;         ///< along the normal [m s-2] (owned edge, level); empty if unused
  LargeArray<Real> edge_drag_;             ///< [s-1] (owned edge, level); empty if unused
  LargeArray<Real> tracer_tendencies_;     ///< [s-1] (tracer, owned cell, level); empty if unused
  std::vector<double> east_, north_;       ///< wind of a column (level)
};

/// Dynamical core for air on layers of given dry mass (docs/atmosphere.md, docs/moist.md). Prognostic:
/// surface pressure of the dry air, normal wind, theta_m = theta (1 + R_v/R q_v), without water the potential
/// temperature, and, for nonhydrostatic equations, w and phi at interfaces.
template <class Real>
class AirCore final : public Core {
 public:
  /// Collective.
  AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local, const CoreOptions& options,
          const AirOptions& air, bool has_interfaces, std::unique_ptr<AirColumns<Real>> columns);

  void set(const std::string& start, const StartOptions& options) override;
  void set(const GivenState& given) override;
  void keep_initial_state() override;
  void take_step(double dt) override;
  void set_clock(std::int64_t n_steps, double start_date) override {
    if (physics_) physics_->columns().set_clock(n_steps, start_date);
  }
  std::vector<double> reference_temperature() const override { return reference_temperature_; }
  void set_reference_temperature(const std::vector<double>& terms) override;
  std::vector<fields::Variable> variables() const override;
  std::vector<fields::Variable> integral_variables() const override;
  std::vector<std::string> tracers() const override { return air_.tracers; }
  FieldView prognostic(const std::string& name) override;
  std::vector<std::vector<double>> products(const std::vector<std::string>& names) override;
  std::vector<double> integrals() override;
  double longest_step() override;
  std::int64_t memory_bytes() const override;
  std::vector<double> orography() const override;

  struct Point;
  static const std::vector<Product<Point>>& product_table();

 private:
  using Stage = AirStage<Real>;
  /// The column of a cell in 64 bits, for output and integrals.
  struct Profile {
    std::vector<double> pressure, exner, phi;                         ///< [Pa], [1], [m2 s-2] (level)
    std::vector<double> theta_rho, temperature, virtual_temperature;  ///< [K] (level)
    std::vector<double> weight;                                       ///< dp [Pa] (level)
    std::vector<double> interface_pressure, interface_phi;  ///< hydrostatic [Pa], [m2 s-2] (interface)
    std::vector<double> pressure_velocity;                  ///< [Pa s-1] (level), computed when first needed
  };

  /// Returns the mean of a quantity in a layer between the pressures of its upper and lower interface [Pa].
  using LayerMean = std::function<double(int level, double upper, double lower)>;
  /// The value of a field in a layer of a cell.
  using LayerValue = std::function<double(LocalIndex cell, int level)>;

  static std::vector<schedule::HaloField> halo_fields(int n_levels, bool has_interfaces);
  void set_surface_geopotential(const std::function<double(LocalIndex)>& geopotential);
  void set_column(LocalIndex cell, const LayerMean& virtual_temperature);
  void set_vapour(const AirStart& start);
  void set_winds(const AirStart& start);
  void set_tracers(const std::function<LayerValue(int)>& values);
  void set_tracer(int tracer, const LayerValue& value);
  std::span<Real> loading() const { return loading_ ? (*loading_)[0] : std::span<Real>{}; }
  void update_loading();
  void exchange_loading();
  double vapour(LocalIndex cell, int level) const {
    return air_.moist ? double{tracers_->values(kVapour)[at_level(cell, level)]} : 0;
  }
  std::vector<double> interface_pressures(LocalIndex cell) const;
  void run_physics(double dt);
  void advance(const AirState<Real>& now, const AirState<Real>& next, double dt);
  void for_tiles(const AirState<Real>& now, const std::function<void(const Tile<Real>&, bool)>& compute);
  void load_tile(const Tile<Real>& tile, const AirState<Real>& now, bool is_inner);
  void run_sweeps(const Tile<Real>& tile, const Stage& stage, bool is_inner);
  void store_tile_results(const Tile<Real>& tile, bool is_inner);
  void check_state(const Tile<Real>& tile);
  void check_water(LocalIndex cell);
  void check_tracers();
  void record_invalid_column(LocalIndex cell);
  double vertical_flux_rate(std::span<const Real> vertical_flux, LocalIndex cell, int level, double ps) const;
  double speed_of_sound(double temperature) const;
  void diagnose();
  int tracer_index(const std::string& name) const;
  std::span<double> physics_values(const std::string& name);
  bool has_interfaces() const { return halo_.n_fields() > 3; }  ///< w and phi, besides ps, u and theta
  int n_tracers() const { return static_cast<int>(air_.tracers.size()); }
  Profile profile(LocalIndex cell) const;
  std::vector<double> pressure_velocity(LocalIndex cell) const;

  // Indices of values in fields (item, level) and (item, interface).
  std::size_t at_level(LocalIndex item, int level) const {
    return static_cast<std::size_t>(item) * n_levels_ + level;
  }
  std::size_t at_interface(LocalIndex item, int k) const {
    return static_cast<std::size_t>(item) * (n_levels_ + 1) + k;
  }
  LayerMass<Real> mass(const AirStateView<Real>& state) const { return {hybrid_, state.ps}; }

  AirOptions air_;  ///< `tracers` starts with those of water, if any
  RankDomain<Real> domain_;
  HybridCoefficients<Real> hybrid_;
  LevelSlopes<Real> slopes_;
  std::unique_ptr<AirColumns<Real>> columns_;
  std::vector<double> reference_temperature_;  ///< see ReferenceFit; without a reference atmosphere 0
  AirState<Real> now_, stage_1_, stage_2_;     ///< the state, and the results of the first two stages
  RankFields<Real> rank_fields_;
  std::vector<Tile<Real>> tiles_;
  TileFields<Real> tile_fields_;          ///< work fields of the current tile
  std::optional<Tracers<Real>> tracers_;  ///< empty without tracers
  std::optional<halo::Halo> loading_halo_;
  std::optional<halo::FieldStorage<Real>> loading_;  ///< 1 + q_t (cell, level); empty for dry air
  std::optional<Dissipation<Real>> dissipation_;     ///< empty without dissipation
  std::optional<Viscosity<Real>> viscosity_;         ///< empty without constant viscosity
  std::optional<AirPhysics<Real>> physics_;          ///< empty without physics
  Friction<Real> friction_;
};

/// Collective. Makes the core of an equation set with the class `Columns`.
template <template <class> class Columns>
std::unique_ptr<Core> make_air(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                               const CoreOptions& options, const AirOptions* air, bool single) {
  air->hybrid.check();
  const auto make = [&]<class Real>(Real) -> std::unique_ptr<Core> {
    return std::make_unique<AirCore<Real>>(
        comm, local, options, *air, Columns<Real>::kHasInterfaces,
        std::make_unique<Columns<Real>>(*air, options.planet.gravity, options.scheme));
  };
  return single ? make(float{}) : make(double{});
}

EquationSet air_equation_set(options::RegistryEntry choice, bool has_interfaces, const EquationCosts& costs,
                             decltype(EquationSet::make) make);
/// Makes an equation set of the air. @param choice name, texts, and the options that other sets lack
template <template <class> class Columns>
EquationSet air_equation_set(options::RegistryEntry choice, const EquationCosts& costs) {
  return air_equation_set(std::move(choice), Columns<double>::kHasInterfaces, costs, make_air<Columns>);
}

}  // namespace halcyon::atmosphere
