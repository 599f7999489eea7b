#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/physics/scheme_calls.hpp"

namespace halcyon::physics {

/// The columns of a rank. Values of several columns are (level, column) within blocks.
struct RankColumns {
  std::vector<GlobalIndex> ids;             ///< (column)
  std::vector<double> longitude, latitude;  ///< [rad] (column)
  int n_levels = 0;
  std::vector<std::string> tracers = {};                    ///< names
  double gravity = 0, gas_constant = 0, heat_capacity = 0;  ///< [m s-2], [J kg-1 K-1]

  std::size_t size() const { return ids.size(); }
};

/// The column physics of a rank: calls the schemes of a case, in order, for blocks of columns. All schemes
/// see the same state. The tendencies of a scheme with a step of its own are kept until its next call.
class ColumnPhysics : public SchemeCalls<halcyon_columns> {
 public:
  static constexpr int kWidth = 64;  ///< columns of a block; the last block repeats its last column

  /// State of a block, which the caller fills in the order of `halcyon_columns`; (level, column) has row
  /// length kWidth. Arrays that no scheme uses need not be filled.
  struct State {
    std::vector<double> surface_pressure, surface_geopotential, interface_pressure, interface_geopotential,
        pressure, exner, geopotential, temperature, eastward_wind, northward_wind, tracers;
  };
  /// Sums of the tendencies of all schemes.
  struct Tendencies {
    std::vector<double> temperature, eastward_wind, northward_wind, drag, tracers;
  };

  /// @throws ConfigError if two schemes, fields, or a field and a variable of the model have the same name,
  /// or if the case lacks a tracer that a scheme needs
  ColumnPhysics(std::vector<ColumnScheme> schemes, RankColumns columns,
                const std::vector<fields::Variable>& model_variables);

  /// What any scheme uses.
  const Uses& uses() const { return uses_; }

  /// Computes the tendencies of a step dt [s].
  /// @param load load(state, first, n) fills the state of n columns from `first` on
  /// @param store store(state, tendencies, first, n)
  template <class Load, class Store>
  void step(double dt, const Load& load, const Store& store) {
    begin_step(dt);
    for (std::size_t first = 0; first < columns_.size(); first += kWidth) {
      const std::size_t n = std::min<std::size_t>(kWidth, columns_.size() - first);
      load(state_, first, n);
      const Tendencies& tendencies = compute(first, n);
      store(std::as_const(state_), tendencies, first, n);
    }
  }
  // The parts of `step`, after begin_step, for models that load the columns block by block.
  State& state() { return state_; }
  /// Computes the tendencies of the n columns from `first` on, a multiple of kWidth, whose state is loaded.
  const Tendencies& compute(std::size_t first, std::size_t n);

  /// The variables that restart files need: fields of the schemes, and tendencies kept for several steps.
  /// @param item the dimension of columns
  std::vector<fields::Variable> variables(const char* item) const;

  /// A field of one amount per area and column, and the variable of its integral over the sphere.
  struct Amount {
    std::string field;
    fields::Variable integral;  ///< of kg m-2: FIELD_mass [kg]; of J m-2: FIELD_energy [J]
  };
  std::vector<Amount> amounts() const;

 private:
  void call(Call& call, std::size_t first, std::size_t n);
  std::vector<Result> results_of(const ColumnScheme& scheme);

  RankColumns columns_;
  Uses uses_;
  State state_;
  Tendencies results_, sums_;  ///< of one scheme, of all
  std::vector<double> longitude_, latitude_;
  std::vector<const char*> tracer_names_;
};

}  // namespace halcyon::physics
