#pragma once

#include <cstddef>
#include <span>

namespace halcyon::wave {

/// Sizes of a spectrum.
struct SpectrumShape {
  int n_frequencies, n_directions;
};

/// Scratch that the functions below need [numbers].
std::size_t transport_scratch_size(SpectrumShape shape);

/// What enters a cell through an edge. Rows are by direction.
struct Inflow {
  const float* action = nullptr;       ///< (frequency, direction) of the neighbour, in the cell's compass
  const float* group_speed = nullptr;  ///< [m s-1] (frequency) of the neighbour
  const float* weight = nullptr;       ///< w [m-1]: l max(-k.n, 0) / A
  const float* swept = nullptr;        ///< s [m-1]: the part of w that turns on into the next bin
};

/// The inflows whose directions all grow, or all shrink, on their way into the cell. Rows are by direction.
struct Inflows {
  std::span<const Inflow> edges;
  const float* two_over_swept = nullptr;  ///< 2 / S, S the sum of s over the edges [m]; zero where that is
  const float* spread = nullptr;          ///< D [m-1] of the bin that gives through the face above a bin
};

/// Upwind finite-volume transport through the edges of a cell,
///   rate(f, m) = sum_e w_e(m) cg_j N_j(f, m) - (sum_e l max(k.n_e, 0) / A) cg_i N_i(f, m),
/// with the group speed of the cell that the waves leave, so that a steady flux is cg N = const (Green's
/// law); and the flux F between directions that carries what came in on into those that its great circles
/// have in this cell. From bins whose directions grow,
///   F(m + 1/2) = sum_e s_e(m) cg_j N_j(f, m) + D slope(P)(m),   P = sum_e s_e cg_j N_j / S,
/// second order by the monotonized-central limiter (van Leer 1977). Where directions shrink, it is mirrored.
/// It is, up to round-off, never negative nor more than the edges bring if D <= min(S, S min_e((w_e - s_e) /
/// s_e)) / 2. Sums go in the given order.
/// @param action [m2 s2] (frequency, direction) of the cell
/// @param group_speed [m s-1] (frequency) of the cell
/// @param outflow [m-1] (direction): sum_e l max(k.n_e, 0) / A
/// @param rate [m2 s] (frequency, direction), written
/// @param flux F [m2 s] (frequency, face between m and m + 1), written
void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  const Inflows& growing, const Inflows& shrinking, std::span<float> scratch, float* rate,
                  float* flux);

/// Turning rates through the faces between directions m and m + 1,
///   r(f, m) = sine(f) face_sine(m) + cosine(f) face_cosine(m)   [bins s-1]
struct TurningRates {
  const float *sine, *cosine;            ///< [bins s-1] (frequency)
  const float *face_sine, *face_cosine;  ///< (direction)
  int n_noticeable;  ///< so many first frequencies turn fast enough that second order matters
};

/// A spectrum after a step of transport in direction, explicit:
///   N + dt (rate - (F_{m+1/2} - F_{m-1/2})),  F = flux + r N_face,
/// second order in direction and time with the monotonized-central limiter (van Leer 1977), but first order
/// where the turning is not noticeable. Positive where
///   dt (spatial outflow rate + 2 sum of the |r| that leave a bin) <= 1.
/// @param action, rate, flux, result (frequency, direction), rate and flux those of spatial_rate
void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* flux,
                   const TurningRates& turning, float dt, std::span<float> scratch, float* result);

/// The same by first-order upwind differences, implicit in direction: positive and stable for any turning
/// rate, and conserving. A sinusoid's rates diverge from one bin and converge on one. For one frequency.
void turn_implicit(int n_directions, const float* action, const float* rate, const float* flux,
                   const TurningRates& turning, float dt, float* result);

}  // namespace halcyon::wave
