#pragma once

#include <cstddef>
#include <span>

namespace halcyon::wave {

/// What spatial transport needs of one neighbour across an edge of a cell.
struct Inflow {
  const float* action = nullptr;       ///< (frequency, direction) of the neighbour
  const float* group_speed = nullptr;  ///< [m s-1] (frequency) of the neighbour
  const float* weight = nullptr;       ///< [m-1] (direction): l_e max(-k.n_e, 0) / A
};

/// Sizes of a spectrum.
struct SpectrumShape {
  int n_frequencies, n_directions;
};

/// Upwind finite-volume transport through the edges of a cell,
///   rate(f, m) = sum_e (l_e/A) [max(-k_m.n_e, 0) cg_j N_j - max(k_m.n_e, 0) cg_i N_i]
/// with the group speed of the cell that the waves leave, so that a steady flux is cg N = const (Green's
/// law). The sum goes in the mesh's order of edges.
/// @param action [m2 s2] (frequency, direction) of the cell
/// @param group_speed [m s-1] (frequency) of the cell
/// @param outflow [m-1] (direction): sum_e l_e max(k.n_e, 0) / A
/// @param rate [m2 s] (frequency, direction), written
void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  std::span<const Inflow> inflows, float* rate);

/// A spectrum after a step of transport in direction, explicit:
///   N + dt (rate - (F_{m+1/2} - F_{m-1/2})),  F = r N_face,
/// second order in space and time with the monotonized-central limiter (van Leer 1977). Positive where
/// dt (spatial outflow rate + 2 sum of the |r| that leave a bin) <= 1.
/// @param action, rate, result (frequency, direction)
/// @param turning r [s-1] (frequency, direction): bins a second through the face between m and m + 1
/// @param scratch of at least turn_scratch_size(shape) numbers
void turn_explicit(SpectrumShape shape, const float* action, const float* rate, const float* turning,
                   float dt, std::span<float> scratch, float* result);

inline std::size_t turn_scratch_size(SpectrumShape shape) {
  return 3 * static_cast<std::size_t>(shape.n_frequencies) * static_cast<std::size_t>(shape.n_directions + 4);
}

/// The same by first-order upwind differences, implicit in direction: positive and stable for any turning
/// rate, and conserving. The rates must be those of a sinusoid, which diverge from one bin and converge on
/// one.
void turn_implicit(int n_directions, const float* action, const float* rate, const float* turning, float dt,
                   float* result);

}  // namespace halcyon::wave
