#pragma once

#include <string>
#include <vector>

#include "halcyon/options/option.hpp"
#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/sources/kernels/dia.hpp"
#include "halcyon/wave/sources/kernels/terms.hpp"
#include "halcyon/wave/sources/physics.hpp"

namespace halcyon::wave {

using options::Option;

/// What all sets of source terms have: transfer, bottom, depth, limits.
struct SharedOptions {
  explicit SharedOptions(const options::Values& resolved);

  double lambda, transfer;
  float friction, breaking, breaker_index, depth_limit;
  bool linear_growth;
  Limiter limiter;
  bool exponential;     ///< growth over a step is exponential, not linear
  double longest_step;  ///< [s]
};

/// Where sets differ in what they share.
struct SharedDefaults {
  double transfer = 3e7, breaking = 0;
  bool linear_growth = true;
  std::string limiter = "hersbach_janssen", growth = "linear";
  double longest_step = 7200;
};

/// The options of a set: those that all share, those of its wind input, its name, and its own.
std::vector<Option> set_options(const std::string& set, const SharedDefaults& defaults,
                                const std::vector<Option>& wind_input, const std::vector<Option>& own);

/// A number's option, and the number that a case gave.
Option number_option(const char* name, double value, const char* text, double minimum, double maximum,
                     const char* unit = "");
float number(const options::Values& options, const char* name);

/// One cell's inputs.
struct SourceCell {
  float depth, eastward, northward;
  const float* wavenumber;  ///< [m-1] (frequency)
};

/// The wind over a cell and what it does to the surface.
struct SeaSurface {
  float speed = 0, east = 0, north = 0;               ///< 10-m wind [m s-1], and its unit vector
  float friction_velocity = 0, roughness_length = 0;  ///< u* [m s-1], z0 [m]
};

/// A rate of change that is linear in the cosine of the angle to the wind: S/F = offset + slope cos [s-1].
struct CosineRate {
  float offset = 0, slope = 0;
};

/// The tail begins at max(mean_factor f_mean, pm_factor f_PM), f_PM = g / (2 pi 28 u*), and falls as f^-5, or
/// as k^-3/cg, which is the same in deep water.
struct TailRule {
  float mean_factor = 2.5f, pm_factor = 4;
  bool in_wavenumber = false;
};

/// What all sets of source terms share: reading and writing spectra, the discrete interaction approximation,
/// bottom friction, depth-induced breaking, the semi-implicit step with its limiter,
///   dF = dt S / max(1, 1 - dt dS/dF), |dF| limited,
/// the tail, and Hs at most a fraction of the depth (WAMDI 1988; IFS documentation CY45R1, part VII). A set
/// says what the wind and whitecapping do.
class SourceSet : public Physics {
 public:
  std::string_view name() const override { return name_; }
  BadCell step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
               double dt) override;
  SourceTerms terms(View<const float, 3> action, LocalIndex cell, const Medium& medium,
                    const WindField& wind) override;
  void surface(View<const float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
               const SurfaceArrays& arrays) override;

 protected:
  /// @param air_density [kg m-3]   @param reach directions that the set's own terms reach around the circle
  SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
            double air_density, int reach = 0);

  /// Sets u* and z0 of `sea_`, the rates `growth_` [s-1] of the wind's input, not below zero, for all
  /// directions, and `swell_`.
  virtual void set_wind(const SourceCell& cell, const MomentSums& sums) = 0;

  /// Sets the rates `whitecapping_` [s-1] (frequency) of all directions alike and `breaking_waves_` [s-1]
  /// (frequency, direction).
  virtual void set_whitecapping(const SourceCell& cell, const MomentSums& sums) = 0;

  /// The cosine of the angle between directions and the wind, eight at once.
  Lanes wind_cosine(int k) const { return load(&wind_cosine_[k]); }

  SpectralGrid grid_;
  SharedOptions options_;
  float air_density_;
  MomentWeights weights_;
  std::vector<float> frequency_, sigma_, sine_, cosine_;  // (frequency), (direction), whole lanes
  DirectionRows energy_, growth_, breaking_waves_;        // F of the cell, and rates
  SeaSurface sea_;
  std::vector<float> wind_cosine_;           // (direction), whole lanes
  std::vector<float> whitecapping_, floor_;  // (frequency); F >= floor_ cos^2 ahead of the wind
  std::vector<CosineRate> swell_;            // (frequency)

 private:
  SourceCell cell(LocalIndex i, const Medium& medium, const WindField& wind) const;
  float step_cell(float* action, const SourceCell& cell, int n_steps, double dt);
  float step_cell(float* action, const SourceCell& cell, float dt);
  void read(const float* action);
  void aim(const SourceCell& cell);
  MomentSums moments(const SourceCell& cell);
  void add_variance(MomentSums& sums) const;
  void add_sea(MomentSums& sums) const;
  void set_rates(const SourceCell& cell, const MomentSums& sums);
  void set_limits(const MomentSums& sums, float dt);
  void advance(float dt);
  void set_tail(const SourceCell& cell, int last);
  int last_prognostic(const MomentSums& sums) const;
  float write(float* action, int last);
  float cut_off(const MomentSums& sums) const;

  std::string name_;
  TailRule tail_rule_;
  Dia dia_;
  std::vector<float> inverse_sigma_, fifth_, tail_, inverse_root_, root_;  // (frequency)
  std::vector<float> friction_, sink_, seed_, transfer_, limit_;           // (frequency)
  std::vector<float> ahead2_;  // (direction): cos^2 ahead of the wind, or 0
  std::vector<float> former_;  // action of the cell before a step in parts
  float breaking_ = 0, stiffness_ = 0;
};

/// What a set's declaration makes it by.
template <class Set>
std::unique_ptr<Physics> make_set(const SpectralGrid& grid, const options::Values& resolved) {
  return std::make_unique<Set>(grid, resolved);
}

}  // namespace halcyon::wave
