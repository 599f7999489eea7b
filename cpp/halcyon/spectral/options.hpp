#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/spectral/time_scheme.hpp"

namespace halcyon::spectral {

/// What may be chosen beside the equations.
struct ModelOptions {
  bool semi_implicit = false;
  Filter filter;
  Diffusion diffusion;
  std::size_t memory_bytes =
      transform::Options{}.memory_bytes;  ///< for functions of Legendre: no bit differs

  /// @throws ConfigError for what cannot be
  void require_allowed() const;
};

/// Of the air: levels, gas and forcing.
struct AirOptions {
  std::vector<double> a, b;       ///< pressure at interfaces is a [Pa] + b ps, from the top (interface)
  double gas_constant = 287.0;    ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;  ///< c_p [J kg-1 K-1]
  bool held_suarez = false;       ///< forcing of Held and Suarez (1994)

  /// @throws ConfigError for what cannot be
  void require_allowed() const;
};

}  // namespace halcyon::spectral
