#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// A neighbour of a cell, with its weights in the least-squares gradient.
struct GradientNeighbour {
  const float* action;       ///< N (row, direction) in the cell's compass directions
  const float* group_speed;  ///< (row)
  float east, north;         ///< gradient per unit difference [m-1]
};

/// Outflow weights of a cell and the positions r of its edges relative to the wave direction k (direction).
struct OutflowGeometry {
  const float* advective;     ///< O [m-1]
  const float* diffusive;     ///< sum of d [m-1]
  const float *east, *north;  ///< X: sum_e l max(k.n_e, 0) r_e / A
  const float* reach_along;   ///< largest |k.r| of an edge [m]
  const float* reach_across;  ///< largest |r - k (k.r)| [m]
};

/// The current of a cell, and its outflow as in Outflow.
struct Current {
  float east = 0, north = 0;                  ///< [m s-1]
  float outflow = 0;                          ///< [s-1]
  float outflow_east = 0, outflow_north = 0;  ///< [m s-1]
};

/// Output arrays of the limited slopes of a cell, (row, direction) each: Q*, slope_e, slope_n.
struct Slopes {
  float *value, *east, *north;
};

/// Second-order reconstruction of the flux Q = cg N within a cell, half a step later,
///   Q*(r) = Q + slope . (r - (cg k + U) dt / 2),   slope = alpha gradient,
/// the gradient of Q by least squares over the neighbours, along great circles (the turn of the compass
/// direction times dQ/dtheta converts their spectra to the cell's directions). Q is reconstructed, not N,
/// since Q is uniform where waves shoal in a steady state. alpha is the largest number up to 1 for which
///   |slope . r*| <= min(max Q_j - Q, Q - min Q_j)  at the edges (an upper bound of the left side), and
///   dt (outflow of N*) <= N,
/// so that the flux at an edge stays between 0 and twice Q, and no cell loses more than it contains (after
/// Barth and Jespersen 1989; the shift in time is Hancock's, van Leer 1984).
/// @param action (row, direction) of the cell  @param sine, cosine of the directions
/// @param turn_east, turn_north minus the sum over neighbours of turn [bins] times gradient weight
/// @param turning_fraction (row) largest fraction of a bin that explicit turning removes in the step
/// @param next_rows rows of the next cell, prefetched into the cache
void limited_slopes(int n_rows, int n_directions, const float* action,
                    std::span<const GradientNeighbour> neighbours, const float* sine, const float* cosine,
                    float turn_east, float turn_north, const OutflowGeometry& geometry,
                    const Current& current, const float* group_speed, const float* diffusion_factor,
                    const float* turning_fraction, float dt, std::span<const float* const> next_rows,
                    const Slopes& slopes);

}  // namespace halcyon::wave
