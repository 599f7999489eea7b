#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/options/option.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// The first cell of a range whose spectrum went wrong, or kNone.
struct BadCell {
  LocalIndex cell = kNone;
  float significant_height = 0;  ///< [m]; NaN where the spectrum or the wind is not finite
};

/// One cell's source terms of the variance density, [m2 rad-1] (frequency, direction).
struct SourceTerms {
  std::vector<float> wind_input, linear_growth, swell_damping, whitecapping, nonlinear, bottom_friction,
      depth_breaking;
};

/// Where the state of the sea's surface goes, one value a cell; an empty span is not written.
struct SurfaceArrays {
  std::span<float> friction_velocity;                  ///< u* [m s-1]
  std::span<float> roughness_length;                   ///< z0 of the wind's profile [m]
  std::span<float> eastward_stress, northward_stress;  ///< of the air on the sea, rho_a u*^2 [N m-2]
};

/// A set of source terms and the scheme that integrates them. An object holds its own scratch memory, so one
/// thread uses it at a time; nothing is allocated by `step`. What a cell gets depends on its own data only.
class Physics {
 public:
  virtual ~Physics() = default;

  virtual std::string_view name() const = 0;

  /// Advances the spectra of `cells` by dt [s].
  /// @param action [m2 s2] (cell, frequency, direction), changed in place
  /// @return the first cell that is not finite, is negative, or is higher than any sea (60 m); such cells
  /// keep
  ///         the spectrum that they had.
  [[nodiscard]] virtual BadCell step(View<float, 3> action, CellRange cells, const Medium& medium,
                                     const WindField& wind, double dt) = 0;

  /// The source terms of one cell as they stand, for diagnosis; allocates.
  virtual SourceTerms terms(View<const float, 3> action, LocalIndex cell, const Medium& medium,
                            const WindField& wind) = 0;

  /// The surface of `cells` as the set's wind input sees it, of the present wind and spectra.
  virtual void surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                       const WindField& wind, const SurfaceArrays& arrays) = 0;
};

/// A physics set as its file declares it. Add a new one to the list in physics.cpp.
struct PhysicsSet : options::Choice {
  std::unique_ptr<Physics> (*make)(const SpectralGrid& grid, const options::Values& resolved);
};

/// Every set with its options: what case files, the command line and the docs are generated from.
std::vector<options::Choice> physics_choices();

/// The names that make_physics knows.
std::vector<std::string> physics_sets();

/// After whom a set is, for the files of a run. Throws ConfigError if there is no such set.
std::string physics_references(const std::string& set);

/// The options of a set, with defaults and sources. Throws ConfigError if there is no such set.
std::vector<options::Option> physics_options(const std::string& set);

/// Makes a physics set by name. Throws ConfigError for unknown names and options, and values out of range.
std::unique_ptr<Physics> make_physics(const std::string& set, const SpectralGrid& grid,
                                      const options::Values& options = {});

}  // namespace halcyon::wave
