#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// Coefficients of the outflow of a cell (direction): at first order (O cg + u) N, at second order
///   (O + d rho + u) cg N* + (X_e + u_e) cg slope_e + (X_n + u_n) cg slope_n,
/// u, u_e and u_n the outflow by the current over cg; in all it equals the inflow of the neighbours.
struct Outflow {
  const float* advective;                     ///< O [m-1]: sum_e l max(k.n_e, 0) / A
  const float* diffusive;                     ///< sum of d over the edges [m-1]
  const float *east, *north;                  ///< X, second order: sum_e l max(k.n_e, 0) r_e / A
  const float* group_speed;                   ///< [m s-1] (row)
  const float* diffusion_factor;              ///< rho (row)
  float current = 0;                          ///< sum_e l max(U.n_e, 0) / A of the current U [s-1]
  float current_east = 0, current_north = 0;  ///< sum_e l max(U.n_e, 0) / A r_e [m s-1]
  Donor own;                                  ///< second order: the cell's own reconstruction
};

/// Turning rates through the face above a direction m,
///   r(f, m) = sine(f) face_sine(m) + cosine(f) face_cosine(m) + current(m)   [bins s-1]
struct TurningRates {
  const float *sine, *cosine;            ///< [bins s-1] (row)
  const float *face_sine, *face_cosine;  ///< (direction), element -1 equals the last element
  const float* current;                  ///< [bins s-1] (direction), with the same padding
};

/// Second-order correction of the inflow that turns into the next bin above or below: the weight
/// sum_e s_e (w_e - s_e) / (2 w_e) [m-1] (direction) of the slope over directions.
struct TurningCorrection {
  const float *up, *down;
};

/// Advances spectra by one explicit step of second-order transport in space and direction,
///   N + dt (I - out - A_m - B_m + A_{m-1} + B_{m+1}),
/// I the inflow, out the outflow, A and B the fluxes from a bin to the next above and below: the part of I
/// that turns along great circles, second order with the monotonized-central limiter (van Leer 1977), limited
/// to 0 .. I, and r (N +- (1 - r dt) slope / 2) with the same limiter (first order where turning is slow).
/// The result is positive where dt (out / N + 2 sum of the |r| out of a bin) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param n_second_order number of leading rows whose turning needs the second-order scheme
/// @param scratch second_order_scratch_size floats
void second_order_step(int n_rows, int n_directions, const float* action, const Inflows& inflows,
                       const TurningCorrection& correction, const Outflow& outflow,
                       const TurningRates& turning, int n_second_order, float dt, std::span<float> scratch,
                       float* result);

std::size_t second_order_scratch_size(int n_directions);

/// Turns a row in place at the rates r = sine face_sine + cosine face_cosine, by implicit first-order upwind
/// differences: conservative, and positive and stable for any rate. Sinusoidal rates diverge from one bin and
/// converge on one.
/// @param face_sine, face_cosine as in TurningRates  @param before scratch (direction)
void turn_implicit(int n_directions, float sine, float cosine, const float* face_sine,
                   const float* face_cosine, float dt, float* before, float* row);

/// Advances spectra by one explicit step of first-order upwind transport in space and direction,
///   N + dt (I - O cg N - u N - A_m - B_m + A_{m-1} + B_{m+1}),
///   I(f, m) = sum_e w_e(m) (cg N)_e + sum_e u_e N_e,
/// sums over the neighbours, with their own group speed cg, so that a steady flux is cg N = const (Green's
/// law); A and B the fluxes from a bin to the next above and below: the turned part of I, and r N. The
/// result is positive where dt (O cg + u + 2 sum of the |r| out of a bin) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param next_rows rows of the next cell, prefetched into the cache
/// @param scratch upwind_scratch_size floats
void upwind(int n_rows, int n_directions, const float* action, const Inflows& inflows, const Outflow& outflow,
            const TurningRates& turning, float dt, std::span<const float* const> next_rows,
            std::span<float> scratch, float* result);

std::size_t upwind_scratch_size(int n_directions);

}  // namespace halcyon::wave
