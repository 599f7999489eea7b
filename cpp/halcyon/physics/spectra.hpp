#pragma once

#include <vector>

#include "halcyon/physics/scheme_calls.hpp"

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

/// The source terms of a case on wave spectra: calls the schemes for blocks of cells, in each step of the
/// source terms, and adds their results. The level of a failure is the bin, frequency times the number of
/// directions plus direction.
class SpectrumPhysics : public SchemeCalls<halcyon_spectra> {
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

  State& state() { return state_; }
  /// Computes the sources of the n cells from `first` on, whose state is loaded.
  const Sources& compute(std::size_t first, std::size_t n);
  const std::vector<fields::Variable>& variables() const { return variables_; }

 private:
  RankSpectra spectra_;
  std::vector<fields::Variable> variables_;
  State state_;
  Sources results_, sums_;  ///< of one scheme, of all
  std::vector<double> longitude_, latitude_;
};

}  // namespace halcyon::physics
