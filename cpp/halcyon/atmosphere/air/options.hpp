#pragma once

#include <string>
#include <vector>

#include "halcyon/atmosphere/air/air.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"

namespace halcyon::atmosphere {

/// Near the top waves are damped, so that it does not reflect them: winds go back to those of the start, the
/// vertical wind to 0, at a rate that grows from 0 where the pressure is `pressure` to `rate` at the top, as
/// sin^2 of the logarithm of pressure (Klemp and Lilly 1978, J. Atmos. Sci. 35).
struct Sponge {
  double pressure = 0;  ///< [Pa]
  double rate = 0;      ///< [s-1]

  /// [s-1] at a pressure, of a coordinate that ends at `top` [Pa]
  double at(double where, double top) const;
};

/// What may be chosen of the air.
struct AirOptions {
  Hybrid hybrid;
  Air air;
  bool nonhydrostatic = false;
  double off_centring = 0.55;  ///< of the implicit solution of vertical sound waves: 1/2 centred, 1 backward
  Sponge sponge;
  bool held_suarez = false;  ///< cools and rubs as Held and Suarez (1994)
  bool reference = true;     ///< takes forces of pressure as perturbations from a reference atmosphere
  /// Heat goes by fluxes that change no energy, and forces of pressure are the plain ones. Steps alone change
  /// energy then, without kinetic energy of vertices and dissipation, and with an `off_centring` of 1/2.
  bool keep_energy = false;
  /// Of one field of a tile, which is computed at once [bytes]: results do not depend on it.
  std::int64_t tile_bytes = 160 << 10;
  std::vector<std::string> tracers;  ///< what the air carries along: tracers of the table, or other names
};

}  // namespace halcyon::atmosphere
