#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/inflow.hpp"

namespace halcyon::wave {

/// What leaves a cell; rows are by direction. At first order (O cg + u) N, at second
///   (O + d rho + u) cg N* + (X_e + u_e) cg slope_e + (X_n + u_n) cg slope_n,
/// u, u_e and u_n the parts of the current over cg: what its neighbours take by their inflow.
struct Outflow {
  const float* direct;                        ///< O [m-1]: sum_e l max(k.n_e, 0) / A
  const float* exchange;                      ///< sum of d over the edges [m-1]
  const float *east, *north;                  ///< X, second order: sum_e l max(k.n_e, 0) r_e / A
  const float* group_speed;                   ///< [m s-1] (row)
  const float* exchange_share;                ///< rho (row)
  float current = 0;                          ///< U's sum_e l max(U.n_e, 0) / A [s-1]
  float current_east = 0, current_north = 0;  ///< the same with r_e [m s-1]
  Donor own;                                  ///< second order: as neighbours have it
};

/// Turning rates through the face above a direction m,
///   r(f, m) = sine(f) face_sine(m) + cosine(f) face_cosine(m) + current(m)   [bins s-1]
struct TurningRates {
  const float *sine, *cosine;            ///< [bins s-1] (row)
  const float *face_sine, *face_cosine;  ///< (direction), padded below by that of the last
  const float* current;                  ///< [bins s-1] (direction), padded likewise
};

/// What turns on into the next bins when it comes in: besides the parts that `Incoming` has, the spread D of
/// their second order [m-1] (direction), sum_e s_e (w_e - s_e) / (2 w_e).
struct Spread {
  const float *up, *down;
};

/// Spectra after a step of second-order transport in space and direction, explicit:
///   N + dt (I - out - A_m - B_m + A_{m-1} + B_{m+1}),
/// A and B what a bin gives to the next above and below: the part of I that great circles turn on, second
/// order by the monotonized-central limiter (van Leer 1977) and between zero and what came in, and
/// r (N +- (1 - r dt) slope / 2), likewise limited (first order where turning is not noticeable). Positive
/// where dt (rate of out / N + 2 sum of the |r| that leave a bin) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param n_noticeable rows whose turning is fast enough that second order matters: the first
/// @param scratch of second_order_scratch_size
void second_order_step(int n_rows, int n_directions, const float* action, const Inflows& inflows,
                       const Spread& spread, const Outflow& outflow, const TurningRates& turning,
                       int n_noticeable, float dt, std::span<float> scratch, float* result);

/// Numbers that `second_order_step` needs.
std::size_t second_order_scratch_size(int n_directions);

/// A row after turning by r = sine face_sine + cosine face_cosine, in place, by first-order upwind
/// differences, implicit: positive and stable for any rate, and conserving. A sinusoid's rates diverge from
/// one bin and converge on one.
/// @param face_sine, face_cosine as in TurningRates  @param before scratch (direction)
void turn_implicit(int n_directions, float sine, float cosine, const float* face_sine,
                   const float* face_cosine, float dt, float* before, float* row);

/// Spectra after a step of first-order upwind transport in space and direction, explicit:
///   N + dt (I - O cg N - u N - A_m - B_m + A_{m-1} + B_{m+1}),
///   I(f, m) = sum_e w_e(m) (cg N)_e + sum_e u_e N_e,
/// the sums over the neighbours with their own group speed cg, so that a steady flux is cg N = const (Green's
/// law); A and B what a bin gives to the next above and below: the swept part of I, and r N. Positive where
/// dt (O cg + u + 2 sum of the |r| that leave a bin) <= 1.
/// @param action, result [m2 s2] (row, direction)
/// @param soon rows that will be wanted next: they are fetched into the cache meanwhile
/// @param scratch of upwind_scratch_size
void upwind(int n_rows, int n_directions, const float* action, const Inflows& inflows, const Outflow& outflow,
            const TurningRates& turning, float dt, std::span<const float* const> soon,
            std::span<float> scratch, float* result);

/// Numbers that `upwind` needs.
std::size_t upwind_scratch_size(int n_directions);

}  // namespace halcyon::wave
