#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// Coefficients (direction) of the outflow of a cell: at first order (O cg + u) N, at second order
///   (O + d rho + u / cg) cg N* + (X_e + u_e / cg) slope_e + (X_n + u_n / cg) slope_n,
/// with N* the action at half the step, slope_e, slope_n the east and north slopes of cg N, d the diffusion
/// weight, A the cell area, and for edge e: l its length, n_e its outward normal, r_e its middle relative to
/// the cell's centre. Outflow through an edge equals the inflow of the neighbour.
struct Outflow {
  const float* advective;                   ///< O [m-1]: sum_e l max(k.n_e, 0) / A
  const float* diffusive;                   ///< sum of d over the edges [m-1]
  const float *moment_east, *moment_north;  ///< X [1], for second order: sum_e l max(k.n_e, 0) r_e / A
  const float* group_speed;                 ///< [m s-1] (row)
  const float* diffusion_factor;            ///< rho (row)
  float current_rate = 0;                   ///< u: sum_e l max(U.n_e, 0) / A of the current U [s-1]
  float current_moment_east = 0,
        current_moment_north = 0;  ///< u_e, u_n: sum_e l max(U.n_e, 0) r_e / A [m s-1]
  Donor reconstruction;            ///< for second order: cg N* and slopes of the cell itself
};

/// Turning rates, clockwise, of the direction theta,
///   r(f, theta) = sine_rate(f) sin(theta) + cosine_rate(f) cos(theta) + rate by currents(theta)   [bins s-1]
struct TurningRates {
  /// At certain directions theta: the faces between bins m and m + 1, or the centres of the bins m.
  struct At {
    const float *sine, *cosine;  ///< of theta (direction)
    const float* current_rate;   ///< [bins s-1] (direction)
  };
  const float *sine_rate, *cosine_rate;  ///< [bins s-1] (row)
  At face;                               ///< where element -1 equals the last element
  At centre;
};

/// High-order correction of the inflow that turns into the next bin above or below: the factor
/// sum_e s_e (w_e - s_e) / (2 w_e) [m-1] (direction) of twice the rise of cg N from the bin's mean to its
/// face (w, s: FlowEntry). The part s / w of a bin that leaves it lies at the face, and its mean is thus
/// higher than the bin's by (1 - s / w) times this rise.
struct TurningCorrection {
  const float *up, *down;
};

/// Advances spectra by one explicit step of second-order transport in space and direction,
///   N + dt (I - out - A_m - B_m + A_{m-1} + B_{m+1}),
/// with I the inflow and out the outflow. A and B are the fluxes from a bin to the next bin above and below:
/// the part of I that turns along great circles, at seventh order, not negative and together at most I, plus
/// |r| N at first order, for slow turning. The result is positive where
///   dt (out / N + 2 max |r|) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param scratch second_order_scratch_size floats
void second_order_step(int n_rows, int n_directions, const float* action, const Inflows& inflows,
                       const TurningCorrection& correction, const Outflow& outflow,
                       const TurningRates& turning, float dt, std::span<float> scratch, float* result);

std::size_t second_order_scratch_size(int n_directions);

/// Turns rows in place at the rates r over dt, in substeps for which 2 max |r| dt / n_substeps <= 1. The flux
/// from bin m through its upper face is that of a linear reconstruction of the product F = r N, with r at the
/// bin's centre, half a substep later,
///   F + change / 2,   change = (1 - |r| dt) slope,   |change| <= 2 N max |r|,
/// if this is positive, and likewise through the lower face. The slope has the monotonized-central limiter
/// (van Leer 1977). Where it is zero, as at a peak of one bin, the flux is that of the centre's rate, so that
/// the mean direction turns at the mean of r; with the rate at the face it would lag behind waves whose
/// turning slows down on the way.
/// @param n_rows at most kMaxRows  @param max_rates (row) upper bounds of |r| [bins s-1]
/// @param scratch second_order_scratch_size floats  @param action [m2 s2] (row, direction)
void turn_in_substeps(int n_rows, int n_directions, const TurningRates& rates,
                      std::span<const float> max_rates, int n_substeps, float dt, std::span<float> scratch,
                      float* action);

/// Turns a row in place at the rates r = sine_rate face_sine + cosine_rate face_cosine, by implicit
/// first-order upwind differences: conservative, positive, and stable for any rate. As r is sinusoidal in
/// direction, action diverges from one bin and converges on one other bin.
/// @param face_sine, face_cosine as in TurningRates  @param scratch n_directions floats
void turn_implicit(int n_directions, float sine_rate, float cosine_rate, const float* face_sine,
                   const float* face_cosine, float dt, float* scratch, float* row);

/// Advances spectra by one explicit step of first-order upwind transport in space and direction,
///   N + dt (I - O cg N - u N - A_m - B_m + A_{m-1} + B_{m+1}),
///   I(f, m) = sum_e w_e(m) (cg N)_e + sum_e u_e N_e,
/// with cg and N of the neighbour across edge e, so that a steady flux is cg N = const (Green's law), with
/// O, u as in Outflow, w_e as in FlowEntry, and u_e = l max(-U.n_e, 0) / A. A and B are the fluxes from a bin
/// to the next bin above and below: the turned part of I, plus |r| N. The result is positive where
///   dt (O cg + u + 2 sum of |r| through the faces that waves leave) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param next_rows rows that the next cell needs, prefetched into the cache
/// @param scratch upwind_scratch_size floats
void upwind_step(int n_rows, int n_directions, const float* action, const Inflows& inflows,
                 const Outflow& outflow, const TurningRates& turning, float dt,
                 std::span<const float* const> next_rows, std::span<float> scratch, float* result);

std::size_t upwind_scratch_size(int n_directions);

}  // namespace halcyon::wave
