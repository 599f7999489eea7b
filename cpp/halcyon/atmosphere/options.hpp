#pragma once

#include <string>
#include <utility>
#include <vector>

#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/options/option.hpp"

namespace halcyon::atmosphere {

/// An option that is a number from a lowest to a highest one.
inline options::Option number(std::string name, double value, std::string text, std::string unit,
                              double lowest, double highest) {
  return {.name = std::move(name),
          .value = value,
          .text = std::move(text),
          .unit = std::move(unit),
          .minimum = lowest,
          .maximum = highest};
}
/// The same without the lowest one.
inline options::Option number_above(std::string name, double value, std::string text, std::string unit,
                                    double above, double highest) {
  auto option =
      number(std::move(name), value, std::move(text), std::move(unit), -options::kUnbounded, highest);
  option.above = above;
  return option;
}

/// The sphere on which the air moves.
struct Planet {
  double radius = kEarthRadius;      ///< [m]
  double rotation = kEarthRotation;  ///< [rad s-1]
  double gravity = kGravity;         ///< [m s-2]
};

/// What may be chosen of the horizontal scheme. Strengths are speeds [m s-1], so that coefficients follow the
/// spacing d of a mesh by themselves.
struct Scheme {
  /// The part b of kinetic energy that is taken from the vertices. 0: all from the edges of the cell (Ringler
  /// et al. 2010), which the instability of Hollingsworth et al. (1983) meets. On regular hexagons 1/4 makes
  /// the vorticity flux and the gradient of K cancel as they should across a flow along an edge's normal, and
  /// nearly so across others (Gassmann 2013; docs/atmosphere.md).
  double vertex_energy = 0.25;
  /// How much of a step potential vorticity is taken upstream: 0 conserves energy, 1/2 is the anticipated
  /// potential vorticity of Ringler et al. (2010), of which the part along the flux is taken.
  double anticipation = 0.5;
  double diffusion = 0;           ///< [m s-1] nu_2 = diffusion d
  double hyperdiffusion = 0;      ///< [m s-1] nu_4 = hyperdiffusion d^3
  double divergence_damping = 0;  ///< [m s-1] nu_d = divergence_damping d
  /// Of the fluxes of what is carried: the thickness where the wind stays, temperature, tracers. 2: means of
  /// both cells; 3: third order (Skamarock and Gassmann 2011; across interfaces Wicker and Skamarock 2002).
  int transport_order = 3;
  /// How much such fluxes are taken upstream across edges, beta of Skamarock and Gassmann (2011): 1 is third
  /// order, 0 fourth without damping. 1/4 is what they found best.
  double upwinding = 0.25;
  bool monotone = true;  ///< tracers make no new extremes

  bool dissipates() const { return diffusion > 0 || hyperdiffusion > 0 || divergence_damping > 0; }
};

/// Dry air as an ideal gas: p = rho R T, theta = T (p_0/p)^kappa.
struct Air {
  double gas_constant = 287.0;      ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;    ///< c_p [J kg-1 K-1], at constant pressure
  double reference_pressure = 1e5;  ///< p_0 [Pa], of the potential temperature

  double kappa() const { return gas_constant / heat_capacity; }
  /// c_p / c_v
  double gamma() const { return heat_capacity / (heat_capacity - gas_constant); }
};

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
