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

/// Options of all physics sets: nonlinear transfer, bottom friction, depth-induced breaking, limiters.
struct SharedOptions {
  explicit SharedOptions(const options::Values& resolved);

  double lambda, transfer;
  float friction, breaking, breaker_index, depth_limit;
  bool linear_growth;
  Limiter limiter;
  bool exponential;     ///< growth over a step is exponential, not linear
  double longest_step;  ///< [s]
};

/// Defaults of the shared options that depend on the set.
struct SharedDefaults {
  double transfer = 3e7, breaking = 0;
  bool linear_growth = true;
  std::string limiter = "hersbach_janssen", growth = "linear";
  double longest_step = 7200;
};

/// Returns the options of a set: shared options, options of its wind input, its name, and its own options.
std::vector<Option> set_options(const std::string& set, const SharedDefaults& defaults,
                                const std::vector<Option>& wind_input, const std::vector<Option>& own);

Option number_option(const char* name, double value, const char* text, double minimum, double maximum,
                     const char* unit = "");
float number(const options::Values& options, const char* name);

/// One cell's inputs.
struct SourceCell {
  float depth, eastward, northward;
  const float* wavenumber;  ///< [m-1] (frequency)
};

/// The wind over a cell, and its friction velocity and roughness.
struct SeaSurface {
  float speed = 0, east = 0, north = 0;               ///< 10-m wind [m s-1], and its unit vector
  float friction_velocity = 0, roughness_length = 0;  ///< u* [m s-1], z0 [m]
};

/// A rate of change that is linear in the cosine of the angle to the wind: S/F = offset + slope cos [s-1].
struct CosineRate {
  float offset = 0, slope = 0;
};

/// The tail starts at max(mean_factor f_mean, pm_factor f_PM), f_PM = g / (2 pi 28 u*), and falls as f^-5, or
/// as k^-3/cg, which is the same in deep water.
struct TailRule {
  float mean_factor = 2.5f, pm_factor = 4;
  bool in_wavenumber = false;
};

/// Base class of all physics sets: conversion from and to action, the discrete interaction approximation,
/// bottom friction, depth-induced breaking, the semi-implicit step with its limiter,
///   dF = dt S / max(1, 1 - dt dS/dF), |dF| limited,
/// the tail, and the limit of Hs by depth (WAMDI 1988; IFS documentation CY45R1, part VII). A derived set
/// adds wind input and whitecapping.
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
  /// @param air_density [kg m-3]   @param reach half width [bins] of the directional stencil of the set
  SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
            double air_density, int reach = 0);

  /// Computes u* and z0 of `sea_`, the rates `growth_` >= 0 [s-1] of wind input in all directions, and
  /// `swell_`.
  virtual void set_wind(const SourceCell& cell, const MomentSums& sums) = 0;

  /// Computes the rates of whitecapping: `whitecapping_` [s-1] (frequency), the same in all directions, and
  /// `breaking_waves_` [s-1] (frequency, direction).
  virtual void set_whitecapping(const SourceCell& cell, const MomentSums& sums) = 0;

  /// Returns the cosines of the angles between the wind and the eight directions from k on.
  Lanes wind_cosine(int k) const { return load(&wind_cosine_[k]); }

  SpectralGrid grid_;
  SharedOptions options_;
  float air_density_;
  MomentWeights weights_;
  std::vector<float> frequency_, sigma_, sine_, cosine_;  // (frequency), (direction), padded to whole lanes
  DirectionRows energy_, growth_, breaking_waves_;        // F of the cell, and rates
  SeaSurface sea_;
  std::vector<float> wind_cosine_;           // (direction), padded to whole lanes
  std::vector<float> whitecapping_, floor_;  // (frequency); F >= floor_ cos^2 within 90 degrees of the wind
  std::vector<CosineRate> swell_;            // (frequency)

 private:
  SourceCell cell(LocalIndex i, const Medium& medium, const WindField& wind) const;
  float step_cell(float* action, const SourceCell& cell, int n_steps, double dt);
  float step_cell(float* action, const SourceCell& cell, float dt);
  void load_spectrum(const float* action);
  void set_wind_vector(const SourceCell& cell);
  MomentSums moments(const SourceCell& cell);
  void add_variance(MomentSums& sums) const;
  void add_wind_sea(MomentSums& sums) const;
  void set_rates(const SourceCell& cell, const MomentSums& sums);
  void set_limits(const MomentSums& sums, float dt);
  void advance(float dt);
  void set_tail(const SourceCell& cell, int last);
  int last_prognostic(const MomentSums& sums) const;
  float store_spectrum(float* action, int last);
  float cut_off(const MomentSums& sums) const;

  std::string name_;
  TailRule tail_rule_;
  Dia dia_;
  std::vector<float> inverse_sigma_, fifth_, tail_, inverse_root_, root_;        // (frequency)
  std::vector<float> friction_, dissipation_, linear_input_, transfer_, limit_;  // (frequency)
  std::vector<float> downwind2_;      // (direction): cos^2 within 90 degrees of the wind, otherwise 0
  std::vector<float> action_before_;  // action of the cell before the substeps
  float breaking_ = 0, stiffness_ = 0;
};

/// Constructs a physics set; the member `make` of its registry entry.
template <class Set>
std::unique_ptr<Physics> make_set(const SpectralGrid& grid, const options::Values& resolved) {
  return std::make_unique<Set>(grid, resolved);
}

}  // namespace halcyon::wave
