#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// A neighbour of a cell, and its part in the least-squares gradient.
struct Beside {
  const float* action;       ///< N (row, direction) in the cell's compass
  const float* group_speed;  ///< (row)
  float east, north;         ///< of the gradient, for a unit difference [m-1]
};

/// The edges of a cell as its waves of a direction see them; rows are by direction.
struct Reach {
  const float* direct;        ///< O [m-1]
  const float* exchange;      ///< sum of d [m-1]
  const float *east, *north;  ///< X: sum_e l max(k.n_e, 0) r_e / A
  const float* ahead;         ///< largest |k.r| of an edge [m]
  const float* aside;         ///< largest |r - k (k.r)| [m]
};

/// The current of a cell; what leaves with it as in Outflow.
struct Current {
  float east = 0, north = 0;                  ///< [m s-1]
  float outflow = 0;                          ///< [s-1]
  float outflow_east = 0, outflow_north = 0;  ///< [m s-1]
};

/// Where the limited slopes of a cell go, (row, direction) each: Q*, slope_e, slope_n.
struct Slopes {
  float *value, *east, *north;
};

/// Second-order reconstruction of a cell's flux Q = cg N within it, half a step later,
///   Q*(r) = Q + slope . (r - (cg k + U) dt / 2),   slope = alpha gradient,
/// the gradient of Q by least squares over the neighbours, along great circles (the turn of their directions
/// times dQ/dtheta carries them into the cell's compass). Q, and not N, is even where waves shoal in a steady
/// state. alpha is the largest number up to 1 for which
///   |slope . r*| <= min(max Q_j - Q, Q - min Q_j)  at the edges (a bound of it), and
///   dt (outflow of N*) <= N,
/// so that no edge gives less than nothing nor more than twice Q, and no cell more than it has (after Barth
/// and Jespersen 1989; the shift in time is Hancock's, van Leer 1984).
/// @param action (row, direction) of the cell  @param sine, cosine of the directions
/// @param turn_east, turn_north minus the sum over neighbours of the turn [bins] times their part in the
///        gradient
/// @param group_speed, exchange_share, turning (row): the last is what turning takes of the step, 0 to 1
/// @param soon rows that will be wanted next: they are fetched into the cache meanwhile
void limited_slopes(int n_rows, int n_directions, const float* action, std::span<const Beside> beside,
                    const float* sine, const float* cosine, float turn_east, float turn_north,
                    const Reach& reach, const Current& current, const float* group_speed,
                    const float* exchange_share, const float* turning, float dt,
                    std::span<const float* const> soon, const Slopes& slopes);

}  // namespace halcyon::wave
