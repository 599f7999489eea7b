#pragma once

#include <string_view>
#include <vector>

namespace halcyon::wave {

/// How waves are carried through the edges of cells.
enum class Scheme {
  upwind,        ///< first order
  second_order,  ///< by limited slopes
};

/// The scheme of a name.
/// @throws ConfigError that lists the names
Scheme scheme_named(std::string_view name);

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
std::vector<Band> bands_of(const std::vector<std::pair<int, int>>& counts, int n_frequencies);

}  // namespace halcyon::wave
