#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "halcyon/atmosphere/options.hpp"
#include "halcyon/atmosphere/starts/starts.hpp"
#include "halcyon/atmosphere/sweeps.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/methods/method.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/fields/variable.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::atmosphere {

/// Semi-implicit treatment of the gravity waves of shallow water (docs/atmosphere.md, "Semi-implicit steps").
struct ImplicitOptions {
  double tolerance = 1e-8;  ///< bound of |b - A eta| / |b| in the solver; eta, height of the free surface
};

struct CoreOptions {
  Planet planet;
  Scheme scheme;
  std::optional<ImplicitOptions> implicit = {};  ///< empty: explicit steps
  comm::Method method = comm::method_named("isend_irecv");
  bool overlap = true;  ///< inner cells are computed during the halo exchange
};

/// Accumulated wall times of computation and exchange on this rank.
struct WallTimes {
  double compute_s = 0, exchange_s = 0;
};

/// Where and why a state is invalid: a value is not finite or not physical, or the CFL condition is violated.
struct StepFailure {
  LocalIndex cell = kNone;  ///< the affected owned cell of lowest global id; kNone: the state is valid
  std::int64_t step = 0;    ///< number of steps taken before the failure
  std::string variable;     ///< a name of the table of variables, or a Courant number
  int level = 0;
  double value = 0;
  std::string scheme = {};   ///< the scheme of the column physics that failed, if any
  std::string message = {};  ///< its error; empty if a tendency, `variable`, is not finite
};

/// The largest Courant number of a step that is not too long: 1, with room for the rounding errors (32 bits)
/// of `Core::longest_step`.
constexpr double kLargestCourantNumber = 1 + 1e-5;

/// A view of a field in the precision of the core.
using FieldView = std::variant<std::span<double>, std::span<float>>;

/// An initial state given by values; the planet rotates around the poles of the mesh.
struct GivenState {
  /// Surface geopotential [m2 s-2]; for shallow water the height of the orography [m] (local cell with halo).
  std::span<const double> orography;
  /// Surface pressure [Pa], with water; for shallow water the height of the free surface [m] (owned cell).
  std::span<const double> surface;
  /// Temperature of layers, the mean over ln(p) [K] (owned cell, level); empty for shallow water.
  std::span<const double> temperature;
  std::span<const double> wind;  ///< normal to the edges [m s-1] (owned edge, level)
  /// Mixing ratios of layers, in moist air over the dry air [kg kg-1] (tracer, owned cell, level); ignored
  /// for the constant tracer.
  std::span<const double> tracers = {};
};

/// The dynamical core on one rank's part of the global mesh, for any equation set and precision.
class Core {
 public:
  virtual ~Core() = default;

  /// Collective. Sets the state to a named start (analytic initial state); normal winds are means along the
  /// edges.
  /// @throws ConfigError for an unknown start or option
  virtual void set(const std::string& start, const StartOptions& options) = 0;
  /// Collective. Sets the state to given values; nonhydrostatic air gets w = 0 and hydrostatic balance.
  /// @throws InternalError for wrong sizes
  virtual void set(const GivenState& given) = 0;
  /// Takes the present state for the initial state, to which a sponge relaxes and from which viscosity acts
  /// on deviations. `set` does so; a state that is set by `prognostic` needs it.
  virtual void keep_initial_state() {}
  /// Collective. Takes one time step [s]: the third-order Runge-Kutta scheme of Wicker and Skamarock (2002,
  /// Mon. Weather Rev. 130), or a semi-implicit scheme (Imex in shallow_water/semi_implicit.hpp).
  /// @param check false: a failure is only recorded in `failure`, without a reduction over the ranks
  /// @throws with `check`, on all ranks: ConfigError for a dt that is not above 0, differs between ranks or
  /// exceeds the longest stable step, and RunError for an invalid state, both before the state changes;
  /// RunError if the linear solver does not converge. Without `check`: ConfigError for a dt not above 0
  void step(double dt, bool check = true);

  /// Sets the clock of the column physics: the number of steps of the run so far, and the time of its start
  /// since 1970-01-01 00:00 UTC [s].
  virtual void set_clock(std::int64_t, double) {}

  /// Temperature of the reference atmosphere of pressure gradients (ReferenceFit in air/reference.hpp) [K];
  /// empty without levels.
  virtual std::vector<double> reference_temperature() const { return {}; }
  /// Collective. Sets it; empty: fits it to the present state, as `set` does. @throws InternalError for a
  /// wrong size
  virtual void set_reference_temperature(const std::vector<double>&) {}

  int n_levels() const { return n_levels_; }
  virtual std::vector<fields::Variable> variables() const = 0;
  virtual std::vector<fields::Variable> integral_variables() const = 0;
  /// Names of the tracers.
  virtual std::vector<std::string> tracers() const { return {}; }
  /// Returns the prognostic variable of this name in the table of variables: (owned item, level).
  /// @throws InternalError for other names
  virtual FieldView prognostic(const std::string& name) = 0;
  /// Collective. Returns output variables in the owned cells, with the dimensions in `variables`.
  virtual std::vector<std::vector<double>> products(const std::vector<std::string>& names) = 0;
  /// Collective. Global integrals in the order of `integral_variables`; same bits on any number of ranks.
  virtual std::vector<double> integrals() = 0;

  /// Collective. Returns the longest stable step [s] for the present state in the owned cells.
  virtual double longest_step() = 0;
  /// Collective. Like `longest_step`; if steps are semi-implicit, the result is reduced by a margin for
  /// growing winds.
  virtual double longest_step_with_margin() { return longest_step(); }
  /// Iterations of the linear solver in all steps so far; 0 for explicit steps.
  virtual std::int64_t n_iterations() const { return 0; }
  /// The first failure on this rank since the start, or since a step with `check` began. States are checked
  /// before each step, and before output and integrals.
  const StepFailure& failure() const { return failure_; }

  const decomposition::Decomposition& decomposition() const { return decomposition_; }
  const WallTimes& times() const { return times_; }
  /// The exchange method and, if it was chosen automatically, the reason.
  const std::string& exchange() const { return halo_.description(); }
  /// Bytes that this rank receives per Runge-Kutta stage; a step has three stages.
  std::int64_t halo_bytes() const { return halo_.received_bytes(); }
  virtual std::int64_t memory_bytes() const = 0;
  /// Height of the orography [m] (owned cell).
  virtual std::vector<double> orography() const = 0;

 protected:
  /// Collective. @param state the fields of a state, whose halos are exchanged together
  Core(const comm::Communicator& comm, const decomposition::LocalMesh& local, comm::Method method,
       int n_levels, std::vector<schedule::HaloField> state);

  /// The halo of a field with n values per item.
  template <class Real>
  static schedule::HaloField field(ItemKind kind, int n) {
    return {.entity = kind, .item_bytes = static_cast<std::int64_t>(n * sizeof(Real)), .layers = kHaloLayers};
  }
  virtual void take_step(double dt) = 0;
  /// Collective. Throws the first failure of the step if `step` was called with `check`. `take_step` calls
  /// this function after it has checked the state, and before it changes the state.
  /// @param cell_points centres of the owned cells
  void agree_on_step(std::span<const Vector3> cell_points);
  /// Resets the failure and the step counter for a new initial state.
  void reset_run_state() { failure_ = {}, dt_ = 0, n_steps_ = 0; }
  /// Records a failure of the present state, unless one in a cell of lower global id is recorded.
  void record_failure(LocalIndex cell, const std::string& variable, int level, double value);

  comm::Communicator comm_;
  decomposition::Decomposition decomposition_;
  int n_levels_;
  halo::Halo halo_;
  StepFailure failure_;
  WallTimes times_;
  double dt_ = 0;             ///< last time step [s]
  std::int64_t n_steps_ = 0;  ///< steps taken
  bool throws_failures_ = true;

 private:
  std::string failure_text(std::span<const Vector3> cell_points) const;
};

/// Costs of an equation set, for `halcyon plan` and benchmarks. Gn is the icosahedral mesh of level n.
struct EquationCosts {
  /// Memory traffic of a 64-bit step per cell and level [bytes], if each sweep reads its fields once.
  double bytes;
  /// Longest stable step on G0 [s]; each refinement level halves it. Measured steps times 2^n on Gn: 11,880
  /// on G6 for the shallow-water jet; 11,190, 10,840, 10,510 on G3, G4, G5 for the baroclinic wave.
  double longest_step_s;
  /// Work in a cell of the first halo layer, relative to an owned cell (measured on G2, 30 levels).
  double halo_work;
};

/// An equation set, defined in the source file of its core; core.cpp lists all sets.
struct EquationSet : options::RegistryEntry {
  bool has_levels;
  std::vector<std::string> state;  ///< prognostic variables, in the order of the halo exchange
  EquationCosts costs;
  const std::vector<fields::Variable>& (*variables)();
  const std::vector<fields::Variable>& (*integral_variables)();
  /// Collective. Makes the core; `air` is null if the set has no levels.
  std::unique_ptr<Core> (*make)(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                                const CoreOptions& options, const AirOptions* air, bool single);
};

const std::vector<EquationSet>& equation_sets();
/// The registry entries of the equation sets; sets that need levels have the trait "levels".
std::vector<options::RegistryEntry> equation_choices();
/// The registry entries of the starts; `only_with` lists the equation sets that a start supports.
std::vector<options::RegistryEntry> start_choices();
/// The options of an equation set, in the order of the case file: common options, `specific`, the planet.
std::vector<options::Option> equation_options(std::vector<options::Option> specific);

/// Collective. Makes a core of an equation set, at rest.
/// @param local has at least two halo layers; not used after this call
/// @param air nullptr for a set without levels  @param single true: 32 instead of 64 bits
/// @throws ConfigError for an unknown set, or an invalid tolerance or vertical coordinate; InputError if the
///        mesh does not cover the sphere
std::unique_ptr<Core> make_core(const std::string& equations, const comm::Communicator& comm,
                                const decomposition::LocalMesh& local, const CoreOptions& options,
                                const AirOptions* air, bool single);

}  // namespace halcyon::atmosphere
