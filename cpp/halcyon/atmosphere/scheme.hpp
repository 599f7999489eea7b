#pragma once

namespace halcyon::atmosphere {

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

}  // namespace halcyon::atmosphere
