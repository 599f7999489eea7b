#pragma once

namespace halcyon::wave {

/// Depth-induced breaking of Battjes and Janssen (1978): the waves that break dissipate as bores,
///   S = -2 alpha f_mean (Q_b / B) F,   B = 8 m0 / (gamma d)^2 = (H_rms / H_m)^2,   (1 - Q_b)/ln Q_b = -B,
/// and S = -2 alpha f_mean F where B >= 1, where all waves break.
struct DepthBreaking {
  float rate = 0;       ///< S/F [s-1]
  float stiffness = 0;  ///< dS/dF - S/F [s-1]; 0 where all break
};

/// @param strength alpha   @param breaker_index gamma   @param variance m0 [m2]
/// @param mean_frequency f_mean [Hz]   @param depth d [m]
DepthBreaking depth_breaking(float strength, float breaker_index, float variance, float mean_frequency,
                             float depth);

/// The fraction Q_b of breaking waves at B = (H_rms / H_m)^2, from 0 to 1.
double breaking_fraction(double b);

}  // namespace halcyon::wave
