#pragma once

#include <span>

namespace halcyon::wave {

/// Where action goes over the frequencies of a cell: the rate of the logarithm of sigma at the faces between
/// frequencies f - 1 and f, depth(f) - group_ratio(f) stretch(m) [s-1].
struct ShiftRates {
  std::span<const float> depth;        ///< (frequency + 1) k / sinh(2 k d) U . grad d [s-1]
  std::span<const float> group_ratio;  ///< (frequency + 1) cg / c
  std::span<const float> stretch;      ///< (direction) k/k . (k/k . grad) U [s-1]
};

/// A spectrum after dt of d(sigmadot N)/dsigma,
///   sigmadot = dsigma/dd (U . grad d) - cg k . dU/ds      (Komen et al. 1994, I.88; Tolman 1990, eq. 7),
/// by upwind fluxes of second order with the monotonized-central limiter over the number of the frequency,
/// explicit in as many steps as keep it positive. What goes beyond the first or last frequency is gone, and
/// nothing comes in there.
/// @param face sigma of the faces [rad s-1] (frequency + 1)  @param width dsigma [rad s-1] (frequency)
/// @param action (frequency, direction), changed in place
/// @param scratch (frequency + 1, direction)
void shift_frequencies(std::span<const float> face, std::span<const float> width, const ShiftRates& rates,
                       float dt, float* action, std::span<float> scratch);

}  // namespace halcyon::wave
