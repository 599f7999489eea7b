#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/wave/environment.hpp"
#include "halcyon/wave/physics_options.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// The first cell of a range whose spectrum went wrong, or kNone.
struct BadCell {
  LocalIndex cell = kNone;
  float significant_height = 0;  ///< [m]; NaN where the spectrum or the wind is not finite
};

/// One cell's source terms of the variance density, [m2 rad-1] (frequency, direction).
struct SourceTerms {
  std::vector<float> wind_input, linear_growth, whitecapping, nonlinear, bottom_friction;
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
};

/// The names that make_physics knows.
std::vector<std::string> physics_sets();

/// The options of a set, with defaults and sources. Throws ConfigError if there is no such set.
std::vector<Option> physics_options(const std::string& set);

/// Makes a physics set by name. Throws ConfigError for unknown names and options, and values out of range.
std::unique_ptr<Physics> make_physics(const std::string& set, const SpectralGrid& grid,
                                      const Options& options = {});

}  // namespace halcyon::wave
