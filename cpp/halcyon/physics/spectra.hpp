#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/physics/columns.hpp"

namespace halcyon::physics {

/// The cells of a rank, and the bins of their spectra.
struct RankSpectra {
  std::vector<GlobalIndex> ids;             ///< (cell)
  std::vector<double> longitude, latitude;  ///< [rad] (cell)
  std::vector<double> frequency;            ///< [Hz] (frequency)
  std::vector<double> direction;            ///< of propagation [rad], clockwise from north (direction)
  double gravity = 0;                       ///< [m s-2]

  std::size_t n_bins() const { return frequency.size() * direction.size(); }
};

/// The source terms of a case on wave spectra: calls the schemes for blocks of cells, and adds their results.
class SpectrumPhysics {
 public:
  static constexpr int kWidth = 16;  ///< cells of a block; the last block repeats its last cell

  /// State of a block, which the caller fills in the order of `halcyon_spectra`.
  struct State {
    std::vector<double> depth, eastward_wind, northward_wind, ice_fraction, wavenumber, density;
  };
  struct Sources {
    std::vector<double> source, derivative;  ///< S [m2 rad-1], dS/dF [s-1] (cell, frequency, direction)
  };

  /// @throws ConfigError if two schemes or fields have the same name, or a field and a variable of the model
  SpectrumPhysics(std::vector<SpectrumScheme> schemes, RankSpectra spectra,
                  const std::vector<fields::Variable>& model_variables);
  SpectrumPhysics(const SpectrumPhysics&) = delete;
  SpectrumPhysics& operator=(const SpectrumPhysics&) = delete;

  /// As `ColumnPhysics::set_clock`; the steps are those of the source terms.
  void set_clock(std::int64_t n_steps, double start_date) { n_steps_ = n_steps, start_date_ = start_date; }
  void begin_step(double dt);
  State& state() { return state_; }
  /// Computes the sources of the n cells from `first` on, whose state is loaded.
  const Sources& compute(std::size_t first, std::size_t n);
  /// The failure of the last step; the level is the bin, frequency times the number of directions plus
  /// direction.
  const SchemeFailure& failure() const { return failure_; }
  const std::vector<fields::Variable>& variables() const { return variables_; }
  /// The values (cell) of one of `variables`. Empty for another name.
  std::span<double> values(const std::string& name);

 private:
  struct Call {
    SpectrumScheme scheme;
    halcyon_spectra spectra;
    std::vector<std::vector<double>> fields, blocks;  ///< (field): (cell), (cell of the block)
    std::vector<double*> block_pointers;
  };
  void check(const Call& call, int status, std::size_t first, std::size_t n);
  void record(std::size_t cell, SchemeFailure failure);

  RankSpectra spectra_;
  std::vector<fields::Variable> variables_;
  std::vector<Call> calls_;
  State state_;
  Sources results_, sums_;  ///< of one scheme, of all
  std::vector<double> longitude_, latitude_;
  std::string message_;
  SchemeFailure failure_;
  std::int64_t n_steps_ = 0;
  double start_date_ = 0;
};

}  // namespace halcyon::physics
