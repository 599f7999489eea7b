#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// A neighbour of a cell, with its weights in the least-squares gradient: the gradient of a field is the sum
/// over the neighbours of weight times (neighbour's value - cell's value).
struct GradientNeighbour {
  const float* action;       ///< N [m2 s2] (row, direction) in the cell's compass directions
  const float* group_speed;  ///< [m s-1] (row)
  float gradient_weight_east, gradient_weight_north;  ///< [m-1]
};

/// Outflow weights and extent (direction) of a cell of area A, with k the unit wave direction, and for edge
/// e: l its length, n_e its outward normal, r_e its middle relative to the cell's centre.
struct OutflowGeometry {
  const float* advective;                   ///< O [m-1]: sum_e l max(k.n_e, 0) / A
  const float* diffusive;                   ///< sum of the diffusion weights d over the edges [m-1]
  const float *moment_east, *moment_north;  ///< X [1]: sum_e l max(k.n_e, 0) r_e / A
  const float* extent_along;                ///< largest |k.r_e| [m]
  const float* extent_behind;               ///< largest -k.r_e of the edges with outflow, at least 0 [m]
  const float* extent_across;               ///< largest |r_e - k (k.r_e)| [m]
};

/// The current U of a cell, and the outflow of action with it (l, A, n_e, r_e: see OutflowGeometry).
struct Current {
  float velocity_east = 0, velocity_north = 0;              ///< U [m s-1]
  float outflow = 0;                                        ///< sum_e l max(U.n_e, 0) / A [s-1]
  float outflow_moment_east = 0, outflow_moment_north = 0;  ///< sum_e l max(U.n_e, 0) r_e / A [m s-1]
};

/// Output arrays (row, direction) of the reconstruction of Q = cg N in a cell.
struct Reconstruction {
  float* value;                     ///< Q* at the centre [m3 s], half a step later
  float *slope_east, *slope_north;  ///< limited slope of Q [m2 s]
};

/// Computes the second-order reconstruction of the flux Q = cg N within a cell, half a step later,
///   Q*(r) = Q + slope . (r - (cg k + U) dt / 2),   slope = alpha gradient.
/// The gradient of Q is by least squares over the neighbours j, along great circles: a neighbour's spectrum
/// is converted to the cell's directions by whole bins, and by the residual turn times dQ/dtheta. Q is
/// reconstructed, not N, since Q is uniform where waves shoal in a steady state. alpha is the largest number,
/// at most 1, for which
///   Q* >= 0  at the centre and at the edges with outflow, and
///   dt (outflow of N*) <= N,
/// so that no flux is negative, and no cell loses more than it contains (the half step in time is Hancock's,
/// van Leer 1984). Bounds by the values of the neighbours, as those of Barth and
/// Jespersen (1989), would flatten every crest, so that swell would spread more.
/// @param action [m2 s2] (row, direction) of the cell  @param sine, cosine of the directions
/// @param turn_gradient_east, turn_gradient_north [bins m-1] minus the sum over the neighbours of gradient
/// weight times residual turn (the turn of compass directions that remains after rotation by whole bins)
/// @param turning_fraction (row) largest fraction of a bin's action that explicit turning removes in the step
/// @param next_rows rows that the next cell needs, prefetched into the cache
void compute_limited_slopes(int n_rows, int n_directions, const float* action,
                            std::span<const GradientNeighbour> neighbours, const float* sine,
                            const float* cosine, float turn_gradient_east, float turn_gradient_north,
                            const OutflowGeometry& geometry, const Current& current, const float* group_speed,
                            const float* diffusion_factor, const float* turning_fraction, float dt,
                            std::span<const float* const> next_rows, const Reconstruction& result);

}  // namespace halcyon::wave
