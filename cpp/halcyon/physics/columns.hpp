#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/physics/scheme.hpp"

namespace halcyon::physics {

/// A failure of a scheme: it returned an error, or a tendency is not finite.
struct SchemeFailure {
  std::int64_t column = -1;  ///< the affected column of lowest id; -1: no failure
  std::string scheme = {};
  std::string message = {};  ///< text of the error; empty if a tendency is not finite
  std::string result = {};   ///< name of the tendency
  int level = 0;
  double value = 0;
};

/// The columns of a rank. Values of several columns are (level, column) within blocks.
struct RankColumns {
  std::vector<GlobalIndex> ids;             ///< (column)
  std::vector<double> longitude, latitude;  ///< [rad] (column)
  int n_levels = 0, n_tracers = 0;
  double gravity = 0, gas_constant = 0, heat_capacity = 0;  ///< [m s-2], [J kg-1 K-1]

  std::size_t size() const { return ids.size(); }
};

/// The column physics of a rank: calls the schemes of a case, in order, for blocks of columns. All schemes
/// see the same state. The tendencies of a scheme with a step of its own are kept until its next call.
class ColumnPhysics {
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

  /// @throws ConfigError if two schemes, fields, or a field and a variable of the model have the same name
  ColumnPhysics(std::vector<ColumnScheme> schemes, RankColumns columns,
                const std::vector<fields::Variable>& model_variables);
  ColumnPhysics(const ColumnPhysics&) = delete;
  ColumnPhysics& operator=(const ColumnPhysics&) = delete;

  /// What any scheme uses.
  const Uses& uses() const { return uses_; }

  /// Sets the number of steps taken, and the time of the start of the run, since 1970-01-01 00:00 UTC [s].
  void set_clock(std::int64_t n_steps, double start_date) { n_steps_ = n_steps, start_date_ = start_date; }

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
  // The parts of `step`, for models that load the columns block by block.
  void begin_step(double dt);
  State& state() { return state_; }
  /// Computes the tendencies of the n columns from `first` on, a multiple of kWidth, whose state is loaded.
  const Tendencies& compute(std::size_t first, std::size_t n);

  /// The failure of the last step.
  const SchemeFailure& failure() const { return failure_; }

  /// The variables that restart files need: fields of the schemes, and tendencies kept for several steps.
  /// @param item the dimension of columns
  std::vector<fields::Variable> variables(const char* item) const;
  /// The values of one of `variables`, (column) or (column, level). Empty for another name.
  std::span<double> values(const std::string& name);
  std::int64_t memory_bytes() const;

 private:
  /// A field of a scheme, on the rank and in the block.
  struct FieldValues {
    std::string name;
    int n_rows;                       ///< 1, or the number of levels
    std::vector<double> rank, block;  ///< (column, row), (row, column)
  };
  struct Call {
    ColumnScheme scheme;
    halcyon_columns columns;
    std::vector<FieldValues> fields, kept;  ///< kept: the tendencies, if the scheme has a step of its own
    std::vector<double*> field_pointers;
    bool is_due = true;
  };

  void call(Call& call, std::size_t first, std::size_t n);
  void check(const Call& call, int status, std::size_t first, std::size_t n);
  void record(std::size_t column, SchemeFailure failure);
  std::vector<std::vector<double>*> results_of(const ColumnScheme& scheme);

  RankColumns columns_;
  Uses uses_;
  std::vector<Call> calls_;
  State state_;
  Tendencies results_, sums_;  ///< of one scheme, of all
  std::vector<double> longitude_, latitude_;
  std::string message_;
  SchemeFailure failure_;
  std::int64_t n_steps_ = 0;
  double start_date_ = 0;
};

}  // namespace halcyon::physics
