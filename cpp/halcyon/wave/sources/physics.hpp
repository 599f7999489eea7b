#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/options/option.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// The first cell whose spectrum is invalid after a step; cell is kNone if all spectra are valid.
struct BadCell {
  LocalIndex cell = kNone;
  float significant_height = 0;  ///< [m]; NaN where the spectrum or the wind is not finite
};

/// Source terms of the variance density of one cell, [m2 rad-1] (frequency, direction).
struct SourceTerms {
  std::vector<float> wind_input, linear_growth, swell_damping, whitecapping, nonlinear, bottom_friction,
      depth_breaking;
};

/// Output arrays of the state of the sea surface (cell); an empty span is not written.
struct SurfaceArrays {
  std::span<float> friction_velocity;                  ///< u* [m s-1]
  std::span<float> roughness_length;                   ///< z0 of the wind profile [m]
  std::span<float> eastward_stress, northward_stress;  ///< wind stress, rho_a u*^2 [N m-2]
};

/// A set of source terms and the scheme that integrates them in time. A cell's result depends only on data of
/// the cell. Only one thread at a time may use an object, because of its scratch memory.
class Physics {
 public:
  virtual ~Physics() = default;
  virtual std::string_view name() const = 0;
  /// Returns whether the set has a wave-dependent drag, and so keeps the wave stress from step to step.
  virtual bool keeps_wave_stress() const { return false; }
  /// Advances the spectra of `cells` by dt [s].
  /// @param action [m2 s2] (cell, frequency, direction), changed in place
  /// @param wave_stress tau_w / rho_a of the last step [m2 s-2] (cell), changed in place; 0 before the first
  ///        step. If empty, each step starts from 0.
  /// @return the first invalid cell: spectrum or wind not finite, variance negative, or significant height
  ///         above 80 m; invalid cells keep their previous spectrum
  [[nodiscard]] virtual BadCell step(View<float, 3> action, CellRange cells, const Medium& medium,
                                     const WindField& wind, std::span<float> wave_stress, double dt) = 0;

  /// Sets source terms that are added to those of the set in the next steps, constant during a step: S [m2
  /// rad-1] and dS/dF [s-1] (frequency, direction) of the cell. Empty: none.
  virtual void set_added_sources(std::span<const double> source, std::span<const double> derivative) = 0;

  /// Returns the source terms of one cell for the given spectrum, wind and wave stress, for diagnosis;
  /// allocates memory.
  virtual SourceTerms terms(View<const float, 3> action, LocalIndex cell, const Medium& medium,
                            const WindField& wind, std::span<const float> wave_stress) = 0;

  /// Computes the friction velocity, roughness and stress of `cells` that the set's wind input uses.
  virtual void compute_surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                               const WindField& wind, std::span<const float> wave_stress,
                               const SurfaceArrays& arrays) = 0;
};

/// The registry entry of a physics set. The list of all sets is in physics.cpp.
struct PhysicsSet : options::RegistryEntry {
  std::unique_ptr<Physics> (*make)(const SpectralGrid& grid, const options::Values& resolved);
};

/// Returns every set with its options, for case files, the command line and the docs.
std::vector<options::RegistryEntry> physics_choices();

std::vector<std::string> physics_sets();

/// Returns the literature references of a set. Throws ConfigError for an unknown set.
std::string physics_references(const std::string& set);

/// Returns the options of a set, with defaults. Throws ConfigError for an unknown set.
std::vector<options::Option> physics_options(const std::string& set);

/// Makes a physics set by name. Throws ConfigError for unknown names and options, and values out of range.
std::unique_ptr<Physics> make_physics(const std::string& set, const SpectralGrid& grid,
                                      const options::Values& options = {});

}  // namespace halcyon::wave
