#pragma once

#include <span>

#include "halcyon/wave/transport/kernels/directions.hpp"

namespace halcyon::wave {

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
