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
  const float* spread = nullptr;       ///< s (w - s) / 2w [m-1]
};

/// The inflows whose directions all grow, or all shrink, on their way into the cell.
struct Inflows {
  std::span<const Inflow> edges;
  const float* spread = nullptr;         ///< [m-1] (direction): sum over the edges
  const float* one_by_spread = nullptr;  ///< [m] (direction): zero where the sum is
};

/// Upwind finite-volume transport through the edges of a cell,
///   rate(f, m) = sum_e w_e(m) cg_j N_j(f, m) - (sum_e l max(k.n_e, 0) / A) cg_i N_i(f, m)
///                - (F(m + 1/2) - F(m - 1/2)),
/// with the group speed of the cell that the waves leave, so that a steady flux is cg N = const (Green's
/// law). F carries the spectra of the neighbours on into the directions that their great circles have in
/// this cell. From bins whose directions grow,
///   F(m + 1/2) = sum_e s_e(m) cg_j N_j(f, m) + D slope(P)(m),
///   D = sum_e (s (w - s) / 2w)_e, P = sum_e (s (w - s) / 2w)_e cg_j N_j / D,
/// second order with the monotonized-central limiter (van Leer 1977); it is never negative nor more than what
/// the edges bring. Mirrored where directions shrink. The sums go in the given order.
/// @param action [m2 s2] (frequency, direction) of the cell
/// @param group_speed [m s-1] (frequency) of the cell
/// @param outflow [m-1] (direction): sum_e l max(k.n_e, 0) / A
/// @param scratch of at least transport_scratch_size(shape) numbers
/// @param rate [m2 s] (frequency, direction), written
void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  const Inflows& growing, const Inflows& shrinking, std::span<float> scratch, float* rate);

/// A spectrum after a step of transport in direction, explicit:
///   N + dt (rate - (F_{m+1/2} - F_{m-1/2})),  F = r N_face,
/// second order in space and time with the monotonized-central limiter (van Leer 1977). Positive where
/// dt (spatial outflow rate + 2 sum of the |r| that leave a bin) <= 1.
/// @param action, rate, result (frequency, direction)
/// @param turning r [s-1] (frequency, direction): bins a second through the face between m and m + 1
/// @param scratch of at least transport_scratch_size(shape) numbers
void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* turning,
                   float dt, std::span<float> scratch, float* result);

/// The same by first-order upwind differences, implicit in direction: positive and stable for any turning
/// rate, and conserving. The rates must be those of a sinusoid, which diverge from one bin and converge on
/// one.
void turn_implicit(int n_directions, const float* action, const float* rate, const float* turning, float dt,
                   float* result);

}  // namespace halcyon::wave
