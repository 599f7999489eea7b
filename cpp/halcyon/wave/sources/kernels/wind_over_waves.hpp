#pragma once

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

/// Wind input by Miles' mechanism in the form of Janssen (1991), for one frequency:
///   S/F = sigma (rho_a/rho_w) (beta_max/kappa^2) exp(Z) Z^4 (u*/c + shift)^2 cos^2,
///   Z = ln(k z0) + kappa / ((u*/c + z_alpha) cos),
/// where Z < 0 and cos > 0.01, and 0 elsewhere; cos is the cosine of the angle between the directions of the
/// waves and of the wind stress (IFS documentation CY45R1, part VII, eq. 3.5 to 3.8). The shift is z_alpha in
/// WAM cycle 4, and 0 in Ardhuin et al. (2010).
struct MilesGrowth {
  float log_kz0;   ///< ln(k z0)
  float age_term;  ///< kappa / (u*/c + z_alpha)
  float strength;  ///< sigma (rho_a/rho_w) (beta_max/kappa^2) (u*/c + shift)^2 [s-1]
  /// Returns whether the growth is zero in all directions.
  bool is_zero() const { return !(log_kz0 + age_term < 0); }
  /// Returns S/F [s-1] of eight directions, given their cosines.
  Lanes operator()(Lanes cosine) const;
};

/// The wave stress of the high-frequency tail, F ~ f^-5 above a frequency f_c,
///   tau_hf / rho_a = (2 pi)^4 f_c^5 / g^2 J u*^2 int (beta_max/kappa^2) exp(Z) Z^4 d ln y,
/// with J = int F(f_c, theta) max(cos, 0)^3 dtheta and y = omega sqrt(z0/g), integrated by Simpson's rule on
/// 19 points up to y = 1, from f_c or from the frequency of the longest wave that grows over the smoothest
/// sea, whichever is higher (IFS documentation CY45R1, part VII, eq. 3.17 to 3.19).
struct MilesTail {
  float sigma;            ///< 2 pi f_c [rad s-1]
  float level;            ///< (2 pi)^4 f_c^5 / g^2 J [1]
  float growth;           ///< beta_max/kappa^2
  float shift;            ///< z_alpha, in Z as in MilesGrowth
  float longest_growing;  ///< u*/c of the longest wave that grows, see longest_growing()
  float sheltering;       ///< sheltering coefficient s_u of the stress on shorter waves
  /// @param friction_velocity u* [m s-1] at f_c, reduced by sheltering   @param roughness z0 [m]
  /// @return tau_hf / rho_a [m2 s-2]
  float stress(float friction_velocity, float roughness) const;
};

inline Lanes fourth_power(Lanes z) {
  const Lanes square = z * z;
  return square * square;
}

inline Lanes MilesGrowth::operator()(Lanes cosine) const {
  const Lanes downwind = larger(cosine, Lanes{} + 0.01f);
  const Lanes z = smaller(log_kz0 + age_term / downwind, Lanes{});
  const Lanes growth = strength * (downwind * downwind) * (fourth_power(z) * exponential(z));
  return cosine > 0.01f ? growth : Lanes{};
}

/// Returns u*/c of the longest wave that grows over the smoothest sea, whose Charnock parameter is alpha: the
/// x where alpha x^2 exp(kappa/(x + z_alpha)) falls below 1 (IFS documentation CY45R1, part VII).
/// @param charnock alpha   @param shift z_alpha
double longest_growing(double charnock, double shift);

inline constexpr float kVonKarman = 0.4f;
inline constexpr float kMinStressExcess = 1e-5f;  ///< smallest (total stress - wave stress) / rho_a [m2 s-2]

/// The wind stress on the sea: friction velocity u* [m s-1] and roughness length z0 [m].
struct Drag {
  float friction_velocity, roughness;
};

struct DragOptions {
  float charnock;  ///< alpha, Charnock's parameter without waves
  float cap;       ///< largest drag coefficient
};

/// Returns u* and z0 of the steady wind profile over waves with wave stress tau_w (Janssen 1991),
///   u* = kappa U / ln(10 m / (z0 + 0.11 nu/u*)),   z0 = (alpha/g) u*^2 / sqrt(1 - tau_w/u*^2),
/// by at most 15 Newton iterations from the drag coefficient 8e-4 + 8e-5 U (IFS documentation CY45R1). The
/// drag coefficient is at most options.cap.
/// @param speed U of the 10-m wind [m s-1]   @param wave_stress tau_w / rho_a [m2 s-2]
Drag drag_over_waves(float speed, float wave_stress, const DragOptions& options);

}  // namespace halcyon::wave
