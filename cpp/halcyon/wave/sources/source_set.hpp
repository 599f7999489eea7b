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
  double lambda, transfer;        ///< shape lambda and strength C of the discrete interaction approximation
  float friction;                 ///< Gamma of bottom friction [m2 s-3]
  float breaking, breaker_index;  ///< alpha and gamma of depth-induced breaking
  float depth_limit;              ///< largest ratio of significant wave height to depth
  bool linear_growth;             ///< whether wind starts waves on a flat sea, see linear_growth()
  Limiter limiter;
  bool exponential;     ///< whether growth over a step is exponential, not linear
  double longest_step;  ///< [s]; longer steps are divided into substeps
};

/// Defaults of the shared options that depend on the physics set.
struct SharedDefaults {
  double transfer = 3e7, breaking = 0;
  bool linear_growth = true;
  std::string limiter = "hersbach_janssen", growth = "linear";
  double longest_step = 7200;
};

/// Returns all options of a set: the shared options, then `wind_input`, the name of the set, and `specific`.
std::vector<Option> set_options(const std::string& set, const SharedDefaults& defaults,
                                const std::vector<Option>& wind_input, const std::vector<Option>& specific);

Option number_option(const char* name, double value, const char* text, double minimum, double maximum,
                     const char* unit = "");
float number(const options::Values& options, const char* name);  ///< returns the value of a number option

/// Depth, wind and wavenumbers of one cell.
struct SourceCell {
  float depth;                ///< [m]
  float eastward, northward;  ///< 10-m wind [m s-1]
  const float* wavenumber;    ///< [m-1] (frequency)
};

/// Wind, friction velocity, roughness and wave stress of one cell.
struct SeaSurface {
  float speed = 0, east = 0, north = 0;               ///< 10-m wind speed [m s-1], unit vector of the wind
  float friction_velocity = 0, roughness_length = 0;  ///< u* [m s-1], z0 [m]
  float wave_stress = 0;                              ///< tau_w / rho_a [m2 s-2], kept from step to step
};

/// A rate of change that is linear in the cosine of the angle to the wind: S/F = offset + slope cos [s-1].
struct CosineRate {
  float offset = 0, slope = 0;
};

/// The diagnostic tail of the spectrum: it starts at max(mean_factor f_mean, pm_factor f_PM), with
/// f_PM = g / (2 pi 28 u*), and falls as f^-5, or as k^-3/cg, which is the same in deep water.
struct TailRule {
  float mean_factor = 2.5f, pm_factor = 4;
  bool in_wavenumber = false;  ///< whether the tail falls as k^-3/cg
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
               std::span<float> wave_stress, double dt) override;
  void set_added_sources(std::span<const double> source, std::span<const double> derivative) override;
  SourceTerms terms(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
                    std::span<const float> wave_stress) override;
  void compute_surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                       const WindField& wind, std::span<const float> wave_stress,
                       const SurfaceArrays& arrays) override;

 protected:
  /// @param air_density [kg m-3]
  /// @param half_width [bins]: computing a rate in one direction needs F in the directions this far away
  SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
            double air_density, int half_width = 0);

  /// Sets u*, z0 and the wave stress of `sea_`, and the rates `growth_` [s-1], negative where the wind
  /// opposes the waves, and `swell_`.
  virtual void set_wind(const SourceCell& cell, const MomentSums& sums) = 0;
  /// Sets the rates of whitecapping: `whitecapping_` [s-1] (frequency), the same in all directions, and
  /// `breaking_waves_` [s-1] (frequency, direction).
  virtual void set_whitecapping(const SourceCell& cell, const MomentSums& sums) = 0;
  /// Returns the cosines of the angles between the wind and the eight directions from m on.
  Lanes wind_cosine(int m) const { return load(&wind_cosine_[m]); }

  SpectralGrid grid_;
  SharedOptions options_;
  float air_density_;
  MomentWeights weights_;
  std::vector<float> frequency_, sigma_;  // [Hz], [rad s-1] (frequency)
  std::vector<float> sine_, cosine_;      // (direction), padded to a multiple of kLanes
  // Of the cell being computed:
  DirectionRows energy_;          // F [m2 Hz-1 rad-1]
  DirectionRows growth_;          // S/F [s-1] of wind input
  DirectionRows breaking_waves_;  // S/F [s-1] of the directional part of whitecapping
  SeaSurface sea_;
  std::vector<float> wind_cosine_;   // (direction), padded to a multiple of kLanes
  std::vector<float> whitecapping_;  // S/F [s-1] (frequency)
  std::vector<float> floor_;         // (frequency); F >= floor_ cos^2 within 90 degrees of the wind
  std::vector<CosineRate> swell_;    // swell damping (frequency)

 private:
  SourceCell source_cell(LocalIndex i, const Medium& medium, const WindField& wind) const;
  float step_cell_in_substeps(float* action, const SourceCell& cell, int n_substeps, double dt);
  float step_cell(float* action, const SourceCell& cell, float dt);
  void load_spectrum(const float* action);
  void set_wind_vector(const SourceCell& cell);
  MomentSums compute_moments(const SourceCell& cell);
  void add_variance(MomentSums& sums) const;
  void add_wind_sea(MomentSums& sums) const;
  void set_rates(const SourceCell& cell, const MomentSums& sums);
  void set_limits(const MomentSums& sums, float dt);
  template <bool kHasAddedSources>
  void advance(float dt);
  void set_tail(const SourceCell& cell, int last_prognostic);
  int last_prognostic_frequency(const MomentSums& sums) const;
  float store_spectrum(float* action, int last_prognostic);
  float cut_off(const MomentSums& sums) const;

  std::string name_;
  TailRule tail_rule_;
  Dia dia_;
  std::vector<float> inverse_sigma_, inverse_fifth_power_;  // 1 / sigma, (f / f_first)^-5 (frequency)
  // Of the cell being computed (frequency):
  std::vector<float> tail_;                               // F of the tail / F(last prognostic frequency)
  std::vector<float> inverse_root_weight_, root_weight_;  // moment weights of 1/sqrt(k) and sqrt(k)
  std::vector<float> bottom_friction_;                    // S/F [s-1]
  std::vector<float> dissipation_;       // sum of S/F [s-1] that is the same in all directions
  std::vector<float> linear_input_;      // S / cos^4 of linear growth [m2 rad-1]
  std::vector<float> transfer_scale_;    // factor of Dia::Rate
  std::vector<float> largest_change_;    // limit of |dF| in the step [m2 Hz-1 rad-1]
  std::vector<float> downwind_squared_;  // (direction): cos^2 within 90 degrees of the wind, otherwise 0
  std::vector<float> action_before_;     // action of the cell before the substeps
  bool has_added_sources_ = false;
  DirectionRows added_source_, added_rate_;           // S [m2 rad-1], dS/dF [s-1] of set_added_sources
  float breaking_rate_ = 0, breaking_stiffness_ = 0;  // see DepthBreaking
};

/// Constructs a physics set of class `Set`, as PhysicsSet::make.
template <class Set>
std::unique_ptr<Physics> make_set(const SpectralGrid& grid, const options::Values& resolved) {
  return std::make_unique<Set>(grid, resolved);
}

}  // namespace halcyon::wave
