#pragma once

#include <string_view>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::wave {

enum class Scheme {
  upwind,        ///< first order
  second_order,  ///< second order, with limited slopes
};

/// Returns the scheme with a name. @throws ConfigError, which lists the allowed names, for an unknown name
inline Scheme scheme_named(std::string_view name) {
  require<ConfigError>(name == "upwind" || name == "second_order",
                       "There is no transport scheme '{}'. Use 'upwind' or 'second_order'.", name);
  return name == "upwind" ? Scheme::upwind : Scheme::second_order;
}

/// Returns the number of halo layers that a scheme needs.
constexpr int halo_layers(Scheme scheme) {
  return scheme == Scheme::second_order ? 2 : 1;
}

struct TransportOptions {
  bool great_circle = true;  ///< whether waves follow great circles: their compass direction then changes
  bool refraction = true;    ///< whether depth and currents refract waves
  Scheme scheme = Scheme::second_order;
  /// Age of swell [s] that sets the diffusion against the garden-sprinkler effect (Booij and Holthuijsen
  /// 1987); 0: no diffusion.
  double swell_age = 4 * 86400;
};

/// Adjacent frequencies that are advanced with the same number of substeps.
struct Band {
  int first, end;  ///< indices of the frequencies: first .. end - 1
  int n_substeps;  ///< per transport step
};

/// Returns the bands, from the lowest frequency, for pairs (number of frequencies, number of substeps).
/// @throws ConfigError unless the bands cover all frequencies of the spectrum
inline std::vector<Band> make_bands(const std::vector<std::pair<int, int>>& counts, int n_frequencies) {
  std::vector<Band> bands;
  int first = 0;
  for (const auto& [n, n_substeps] : counts) {
    require<ConfigError>(n > 0 && n_substeps > 0,
                         "A band has {} frequencies and {} substeps; both numbers must be positive.", n,
                         n_substeps);
    bands.push_back({.first = first, .end = first + n, .n_substeps = n_substeps});
    first += n;
  }
  require<ConfigError>(first == n_frequencies,
                       "The bands have {} frequencies in all, but the spectrum has {}.", first,
                       n_frequencies);
  return bands;
}

}  // namespace halcyon::wave
