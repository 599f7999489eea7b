#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/atmosphere/shallow_water/gravity_waves.hpp"
#include "halcyon/atmosphere/shallow_water/imex.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// Thickness (cell) and wind (edge) of shallow water, or what changes them.
template <class Real>
struct Pair {
  std::span<Real> thickness, wind;
};

/// What a semi-implicit step of shallow water keeps beside its states: the tendencies of its stages, all of
/// them and those by waves alone.
template <class Real>
class SemiImplicit {
 public:
  /// Collective. @param part stays where it is as long as this is used
  SemiImplicit(const GlobePart<Real>& part, const decomposition::Decomposition& decomposition,
               double tolerance);

  /// dy/dt of y_stage, of owned cells and edges, to be written.
  Pair<Real> tendency(int stage) { return pair(tendencies_[stage]); }
  /// Of it the part by waves (owned cell), (local edge).
  Pair<Real> by_waves(int stage) { return pair(by_waves_[stage]); }
  /// Zeros (owned cell), (owned edge).
  Pair<Real> zeros() { return pair(zeros_); }

  /// y_0 + dt sum_{j <= stage} (E_sj (f - i)(y_j) + I_sj i(y_j)): the next state without its own waves.
  void sum(int stage, double dt, const Pair<Real>& start, const Pair<Real>& found) const;

  std::int64_t memory_bytes() const;

  GravityWaves<Real> waves;
  halo::Halo wind_halo;  ///< of u*, on the edges of owned cells: all that these solutions read of the halo

 private:
  struct Values {
    std::vector<Real> thickness, wind;
  };
  static Pair<Real> pair(Values& values) { return {values.thickness, values.wind}; }

  LocalIndex n_cells_, n_edges_;
  std::array<Values, Imex::kStages> tendencies_, by_waves_;
  Values zeros_;
};

}  // namespace halcyon::atmosphere
