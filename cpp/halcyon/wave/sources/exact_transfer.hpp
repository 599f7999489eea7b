#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A wavenumber vector, in any unit.
struct WaveVector {
  double east, north;
};

/// Returns Webb's (1978) coupling coefficient D^2 / (w1 w2 w3 w4) of four waves in deep water with k1 + k2 =
/// k3 + k4 and w = sqrt |k|, as corrected by Dungey and Hui (1979); for four equal waves it is 16 |k|^6.
double webb_coupling(WaveVector k1, WaveVector k2, WaveVector k3, WaveVector k4);

/// Computes the nonlinear transfer of a spectrum in deep water by the full Boltzmann integral (Hasselmann
/// 1962), as a reference for the discrete interaction approximation; for diagnosis, since it takes seconds.
///
///   dn1/dt = int G [n3 n4 (n1 + n2) - n1 n2 (n3 + n4)] delta(k1 + k2 - k3 - k4)
///            delta(omega1 + omega2 - omega3 - omega4) dk2 dk3 dk4,
/// with n = F(k)/omega and the coupling of Webb (1978), G = pi g^2 D^2 / (4 omega1 omega2 omega3 omega4). For
/// each pair k1, k3 on the grid the integral is reduced to the locus of k2, the curve on which the quadruplet
/// is resonant (Webb 1978; Tracy and Resio 1982). The integral along the locus is over |k2| and |k4|,
///   d2k = |k2| |k4| / (|k1 - k3| y) d|k2| d|k4|,
/// with y the distance of k2 from the line of k1 - k3. The ends of the locus, where y vanishes, are resolved
/// by points at the zeros of a Chebyshev polynomial.
///
/// The transfer of each quadruplet is distributed to its four waves by the adjoint of linear interpolation.
/// So action and energy are conserved to round-off, and momentum to the resolution of the grid. In deep water
/// a locus depends only on the ratio and the angle of k1 and k3, so one locus serves all pairs of the same
/// ratio and angle. Only quadruplets with all waves on the grid are included. Finite depth, where the
/// coupling differs (Herterich and Hasselmann 1980), is not supported.
///
/// @param variance_density F [m2 Hz-1 rad-1] (frequency, direction)
/// @param n_points number of points per branch of a locus
/// @return dF/dt [m2 rad-1] (frequency, direction)
/// @throws ConfigError for fewer than 2 points; InputError where a density is negative or not finite
std::vector<double> exact_transfer(const SpectralGrid& grid, std::span<const double> variance_density,
                                   int n_points = 24);

}  // namespace halcyon::wave
