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

/// Implicit gravity waves of shallow water (docs/atmosphere.md, "Semi-implicit steps").
struct ImplicitOptions {
  double tolerance = 1e-8;  ///< of their solution: |b - A eta| / |b|, eta the height of the surface
};

struct CoreOptions {
  Planet planet;
  Scheme scheme;
  std::optional<ImplicitOptions> implicit = {};  ///< none: steps are explicit
  comm::Method method = comm::method_named("isend_irecv");
  bool overlap = true;  ///< what needs nothing from the halo is computed while it travels
};

/// Wall time by part, of this rank.
struct PartTimes {
  double compute_s = 0, exchange_s = 0;
};

/// Where a state is not fit to be gone on from: a number that is not finite or cannot be, or a wind and depth
/// that are too much for the step.
struct Trouble {
  LocalIndex cell = kNone;  ///< the owned one of the lowest global id; kNone: all is well
  std::int64_t step = 0;    ///< how many steps this core had taken
  std::string variable;     ///< of the table of variables; "courant_number" of the step
  int level = 0;
  double value = 0;
};

/// Numbers of a field in the precision of the core.
using Numbers = std::variant<std::span<double>, std::span<float>>;

/// A state by its numbers, on a planet that turns around its poles.
struct GivenState {
  /// Geopotential of the ground [m2 s-2], of shallow water its height [m] (local cell, halo included).
  std::span<const double> ground;
  /// Pressure at the ground [Pa], of shallow water the height of the surface [m] (owned cell).
  std::span<const double> surface;
  /// Means over ln(p) of the layers [K] (owned cell, level); of shallow water empty.
  std::span<const double> temperature;
  std::span<const double> wind;  ///< across the edges [m s-1] (owned edge, level)
  /// Mixing ratios of layers [kg kg-1] (tracer, owned cell, level); those of the constant one are not looked
  /// at, and none are needed where there is no other.
  std::span<const double> tracers = {};
};

/// The dynamical core on one rank's part of the globe, of any set of equations and precision.
class Core {
 public:
  virtual ~Core() = default;

  /// Sets the state at the points of the mesh to that of a start, by its name; winds are means along the
  /// edges. @throws ConfigError for a start or an option that these equations do not have
  virtual void set(const std::string& start, const StartOptions& options) = 0;
  /// Sets the state to one that is given; nonhydrostatic air has no vertical wind and is in hydrostatic
  /// balance. @throws InternalError where sizes do not fit
  virtual void set(const GivenState& given) = 0;
  /// Collective. One step [s]: of the third-order scheme of Wicker and Skamarock (2002, Mon. Weather Rev.
  /// 130), or semi-implicit (Imex).
  virtual void step(double dt) = 0;

  int n_levels() const { return n_levels_; }
  /// The table of variables, and that of integrals.
  virtual std::vector<fields::Variable> variables() const = 0;
  virtual std::vector<fields::Variable> integral_variables() const = 0;
  /// What a restart needs, by the name of its row in the table of variables: (owned item, level).
  /// @throws InternalError for another name
  virtual Numbers prognostic(const std::string& name) = 0;
  /// Collective. Products of the owned cells, (cell) or (cell, level) as their rows say.
  virtual std::vector<std::vector<double>> products(const std::vector<std::string>& wanted) = 0;
  /// Collective. Integrals over the globe in the order of `integral_variables`, of the same bits on any
  /// ranks.
  virtual std::vector<double> integrals() = 0;

  /// Collective. The longest stable step [s] of the present state in the owned cells.
  virtual double longest_step() = 0;
  /// The same, shorter where winds alone limit it, so that they may grow.
  virtual double longest_step_with_room() { return longest_step(); }
  /// Of all implicit solutions of its steps.
  virtual std::int64_t n_iterations() const { return 0; }
  /// The first trouble of this rank in any state that was gone on from, or of which products or integrals
  /// were asked.
  const Trouble& trouble() const { return trouble_; }

  const decomposition::Decomposition& decomposition() const { return decomposition_; }
  const PartTimes& times() const { return times_; }
  /// The exchange method, and why it was chosen if it was.
  const std::string& exchange() const { return halo_.description(); }
  /// What this rank receives in one stage, of three in a step.
  std::int64_t halo_bytes() const { return halo_.received_bytes(); }
  /// What the state and the tables of this rank take, about.
  virtual std::int64_t memory_bytes() const = 0;
  /// The height of the ground [m] (owned cell).
  virtual std::vector<double> ground() const = 0;

 protected:
  /// Collective. @param state the fields of a state, which travel together
  Core(const comm::Communicator& comm, const decomposition::LocalMesh& local, comm::Method method,
       int n_levels, std::vector<schedule::HaloField> state);

  /// A field of a state: so many numbers at each item of a kind.
  template <class Real>
  static schedule::HaloField field(int kind, int n) {
    return {.entity = kind, .item_bytes = static_cast<std::int64_t>(n * sizeof(Real)), .layers = kHaloLayers};
  }
  /// What was of another start.
  void forget() { trouble_ = {}, dt_ = 0, n_steps_ = 0; }
  /// Notes a trouble of the present state: of one look that of the lowest cell stays.
  void note(LocalIndex cell, const std::string& variable, int level, double value);

  decomposition::Decomposition decomposition_;
  int n_levels_;
  halo::Halo halo_;
  Trouble trouble_;
  PartTimes times_;
  double dt_ = 0;             ///< of the last step
  std::int64_t n_steps_ = 0;  ///< taken
};

/// What a set of equations costs, for plans and benchmarks.
struct SetCosts {
  /// That a step of three stages must move, of a cell and level in 64 bits, if sweeps take fields from memory
  /// once.
  double bytes;
  /// The longest stable step on G0 [s], of which half holds a level finer: `Core::longest_step` gives 11,880
  /// on G6 for the jet of shallow water, for the baroclinic wave 11,190, 10,840, 10,510 on G3, G4, G5.
  double longest_step_s;
  /// What a rank computes itself in the first halo layer, in cells' work: of G2 on one rank and on two, 30
  /// levels.
  double halo_work;
};

/// A set of equations. Each is declared once, where its core is; the list is in core.cpp.
struct EquationSet : options::Choice {
  bool has_levels;
  std::vector<std::string> state;  ///< variables that steps advance, which travel between ranks in this order
  SetCosts costs;
  const std::vector<fields::Variable>& (*variables)();
  const std::vector<fields::Variable>& (*integral_variables)();
  /// Collective. As `make_core`; `air` is there where the set has levels.
  std::unique_ptr<Core> (*make)(const comm::Communicator& comm, const decomposition::LocalMesh& local,
                                const CoreOptions& options, const AirOptions* air, bool single);
};

const std::vector<EquationSet>& equation_sets();
/// The same without what makes cores. A set with levels goes with "levels".
std::vector<options::Choice> equation_choices();
/// The starts, which go with the sets of equations that have levels as they have.
std::vector<options::Choice> start_choices();
/// The options of a set in the order of the case file: of all sets, its own, and of the planet.
std::vector<options::Option> equation_options(std::vector<options::Option> own);

/// Collective. A core of a set of equations, at rest. @param local with two halo layers or more; needed no
/// longer than this call  @param air nullptr for a set without levels  @param single in 32 bits instead of 64
/// @throws ConfigError for an unknown set, a tolerance or a vertical coordinate that is not allowed,
/// InputError where the mesh is not of the whole globe
std::unique_ptr<Core> make_core(const std::string& equations, const comm::Communicator& comm,
                                const decomposition::LocalMesh& local, const CoreOptions& options,
                                const AirOptions* air, bool single);

}  // namespace halcyon::atmosphere
