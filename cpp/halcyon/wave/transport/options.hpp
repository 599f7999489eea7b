#pragma once

#include <string_view>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::wave {

/// How waves are carried through the edges of cells.
enum class Scheme {
  upwind,        ///< first order
  second_order,  ///< by limited slopes
};

/// The scheme of a name.
/// @throws ConfigError that lists the names
inline Scheme scheme_named(std::string_view name) {
  require<ConfigError>(name == "upwind" || name == "second_order",
                       "There is no scheme '{}'. Take 'upwind' or 'second_order'.", name);
  return name == "upwind" ? Scheme::upwind : Scheme::second_order;
}

/// So many halo layers does a scheme need.
constexpr int halo_layers(Scheme scheme) {
  return scheme == Scheme::second_order ? 2 : 1;
}

/// Which parts of transport are on.
struct TransportOptions {
  bool great_circle = true;  ///< waves follow great circles, and compass directions change along them
  bool refraction = true;    ///< waves turn to where they are slower
  Scheme scheme = Scheme::second_order;
  /// Of swell [s], against the garden-sprinkler effect (Booij and Holthuijsen 1987); 0: nothing is done.
  double swell_age = 4 * 86400;
};

/// Neighbouring frequencies that take the same number of steps in a step of transport.
struct Band {
  int first, end;  ///< frequencies first .. end
  int n_steps;
};

/// Bands from how many frequencies each has, and how many steps each takes.
/// @throws ConfigError where they are not all the frequencies of a spectrum
inline std::vector<Band> bands_of(const std::vector<std::pair<int, int>>& counts, int n_frequencies) {
  std::vector<Band> bands;
  int first = 0;
  for (const auto& [n, n_steps] : counts) {
    require<ConfigError>(n > 0 && n_steps > 0,
                         "A band of {} frequencies with {} steps: both must be positive.", n, n_steps);
    bands.push_back({first, first + n, n_steps});
    first += n;
  }
  require<ConfigError>(first == n_frequencies, "The bands have {} frequencies, the spectrum has {}.", first,
                       n_frequencies);
  return bands;
}

}  // namespace halcyon::wave
