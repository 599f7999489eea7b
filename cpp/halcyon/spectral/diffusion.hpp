#pragma once

#include <vector>

#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// Hyperdiffusion, implicit: after a step dt, each coefficient of a field that is diffused is divided by
///   1 + dt/tau ((n (n + 1) - 2) / (T (T + 1) - 2))^(order/2),  n >= 2,
/// so that the shortest waves fall by e in `time_scale`, and neither means nor solid rotation change (Hoskins
/// and Simmons 1975; the 2 after Jakob, Hack and Williamson 1993, equation 10).
struct Diffusion {
  int order = 4;          ///< of the derivative: 4 del^4, 8 del^8
  double time_scale = 0;  ///< tau [s]; 0: none

  void apply(const Basis& basis, const std::vector<Prognostic>& fields, double dt, Spectrum& state) const;
};

}  // namespace halcyon::spectral
