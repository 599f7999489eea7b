#pragma once

#include <string>
#include <utility>
#include <vector>

#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/physics/scheme.hpp"

namespace halcyon::atmosphere {

/// Makes an option for a number from `lowest` to `highest`.
inline options::Option number(std::string name, double value, std::string text, std::string unit,
                              double lowest, double highest) {
  return {.name = std::move(name),
          .value = value,
          .text = std::move(text),
          .unit = std::move(unit),
          .minimum = lowest,
          .maximum = highest};
}
/// Makes an option for a number greater than `above`, up to `highest`.
inline options::Option number_above(std::string name, double value, std::string text, std::string unit,
                                    double above, double highest) {
  auto option =
      number(std::move(name), value, std::move(text), std::move(unit), -options::kUnbounded, highest);
  option.above = above;
  return option;
}

struct Planet {
  double radius = kEarthRadius;      ///< [m]
  double rotation = kEarthRotation;  ///< [rad s-1]
  double gravity = kGravity;         ///< [m s-2]
};

/// Options of the horizontal scheme. Dissipation coefficients nu are strengths [m s-1] times the spacing d.
struct Scheme {
  /// Sharp vorticity in the vorticity flux (HorizontalMesh::sharp_vorticity_weight): on regular hexagons it
  /// is advected at fourth order, else too slowly by the fraction (k d)^2/12 for waves of wavenumber k.
  bool sharp_vorticity = false;
  /// Weight of the kinetic energy at vertices; minus 1 with sharp vorticity. With 1/4, on regular hexagons,
  /// vorticity flux and gradient of K cancel to fourth order where they do in the continuum (docs; Gassmann
  /// 2013). 0 without sharp vorticity: edges of the cell only (Ringler et al. 2010), which conserves energy
  /// and is subject to the instability of Hollingsworth et al. (1983).
  double vertex_energy = 0.25;
  /// Anticipation time of potential vorticity as a fraction of the time step: 0 does not dissipate enstrophy,
  /// 1/2 is the value of Ringler et al. (2010). The component across the flux is not anticipated.
  double anticipation = 0.5;
  double diffusion = 0;           ///< [m s-1] nu_2 = diffusion d
  double hyperdiffusion = 0;      ///< [m s-1] nu_4 = hyperdiffusion d^3
  double divergence_damping = 0;  ///< [m s-1] nu_d = divergence_damping d
  /// The kinetic energy that these three take heats the air (Neale et al. 2010; docs).
  bool frictional_heating = true;
  /// Order of advective fluxes of potential temperature, tracers and, with a prescribed wind, layer
  /// thickness. 2: centred; 3: upwind-biased (Skamarock and Gassmann 2011, Wicker and Skamarock 2002).
  int transport_order = 3;
  /// Upwind coefficient beta of horizontal third-order fluxes (Skamarock and Gassmann 2011): 1 is third
  /// order, 0 fourth order without damping; the paper recommends 1/4.
  double upwinding = 0.25;
  bool monotone = true;  ///< monotonic tracer transport

  /// Constant viscosity of the wind, and of theta and tracers, in the horizontal and the vertical [m2 s-1];
  /// only nonhydrostatic air (air/viscosity.hpp).
  double viscosity = 0, scalar_viscosity = 0;

  double vertex_share() const { return sharp_vorticity ? vertex_energy - 1 : vertex_energy; }
  bool dissipates() const {
    return diffusion > 0 || hyperdiffusion > 0 || divergence_damping > 0 || viscosity > 0;
  }
};

/// Dry air as an ideal gas: p = rho R T, theta = T (p_0/p)^kappa.
struct Air {
  double gas_constant = 287.0;      ///< R [J kg-1 K-1]
  double heat_capacity = 1004.5;    ///< c_p [J kg-1 K-1], at constant pressure
  double reference_pressure = 1e5;  ///< p_0 [Pa]
  /// R_v [J kg-1 K-1], of water vapour
  double vapour_gas_constant = kVapourGasConstant;

  double kappa() const { return gas_constant / heat_capacity; }
  /// 1 + R_v/R q_v: theta_m over theta, for the mixing ratio q_v of water vapour
  double vapour_factor(double q_v) const { return 1 + vapour_gas_constant / gas_constant * q_v; }
  /// 1 + (R_v/R - 1) q: virtual over true temperature, for the specific humidity q
  double virtual_factor(double q) const { return 1 + (vapour_gas_constant / gas_constant - 1) * q; }
  /// c_p / c_v
  double gamma() const { return heat_capacity / (heat_capacity - gas_constant); }
};

/// Sponge layer below the top, which absorbs waves: the horizontal wind relaxes to the initial wind, the
/// vertical wind to 0. The rate grows from 0 at `pressure` to `rate` at the top, as sin^2 of the logarithm of
/// pressure (Klemp and Lilly 1978, J. Atmos. Sci. 35).
struct Sponge {
  double pressure = 0;  ///< [Pa]
  double rate = 0;      ///< [s-1]

  /// The damping rate [s-1] at pressure p [Pa].  @param top pressure at the model top [Pa]
  double damping_rate(double p, double top) const;
};

struct AirOptions {
  HybridLevels hybrid;
  Air air;
  double off_centring = 0.55;  ///< weight of the new time level in sound waves: 1/2 centred, 1 backward
  Sponge sponge;
  std::vector<physics::ColumnScheme> physics;  ///< schemes of the column physics, in order
  bool reference = true;  ///< pressure gradients are of perturbations from a reference atmosphere
  /// Energy-conserving fluxes of potential temperature, and pressure gradients without reference atmosphere.
  /// If vertex_energy and dissipation are 0 and off_centring is 1/2, only the time stepping changes energy.
  bool keep_energy = false;
  /// Size of one field of a tile [bytes]; does not affect results.
  std::int64_t tile_bytes = 160 << 10;
  bool moist = false;                ///< with vapour and water, the first tracers (docs/moist.md)
  std::vector<std::string> tracers;  ///< names of the advected tracers
};

}  // namespace halcyon::atmosphere
