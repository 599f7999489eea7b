#pragma once

#include <vector>

namespace halcyon::wave {

/// Constants of the damping of swell by the air (Ardhuin et al. 2010, as in the IFS).
struct SwellDampingOptions {
  float strength = 0.66f;            ///< s1 of the turbulent boundary layer; 0 for no damping at all
  float opposed = -0.018f;           ///< s2, of the cosine of the angle to the wind
  float wind = 0.022f;               ///< s3, of the friction velocity
  float critical_reynolds = 1.5e5f;  ///< s4
  float viscous = 1.2f;              ///< s5 of the viscous boundary layer
  float width = 3.6e5f;              ///< s7, over which one goes over into the other
  float roughness_ratio = 0.04f;     ///< of the orbital motion to that of the wind
  float largest_roughness = 5e-4f;   ///< [m] of the wind, for that
};

/// The state of a sea that swell damping depends on.
struct OrbitalMotion {
  float speed;      ///< u_orb = 2 sqrt(int sigma^2 F) [m s-1]
  float excursion;  ///< a_orb = 2 sqrt(int F) [m]
};

/// The coefficients of a sea's damping:
///   S/F = -(rho_a/rho_w) { viscous 2 k sqrt(2 nu sigma)
///                          + turbulent 16 sigma^2/g [f_e u_orb + (s3 + s2 cos) u*] }
/// (Ardhuin et al. 2010, eq. 8 to 12; IFS documentation CY45R1, part VII).
struct SwellDamping {
  float viscous = 0, turbulent = 0;  ///< s5 and s1, each times its share of the boundary layer
  float friction = 0;                ///< f_e u_orb [m s-1]
};

/// Swell damping, with a table of the friction factor f_e of oscillating flow over a rough bed (Grant and
/// Madsen 1979): f_e = 0.08 / (ker^2 x + kei^2 x), x = 2 sqrt(z), z = 1 / (21.2 kappa (a/z0) sqrt(f_e)).
class SwellDampingModel {
 public:
  explicit SwellDampingModel(const SwellDampingOptions& options);

  SwellDamping at(const OrbitalMotion& motion, float friction_velocity, float roughness) const;

  /// f_e at a ratio a/z0.
  float friction_factor(float ratio) const;

 private:
  SwellDampingOptions options_;
  std::vector<float> factors_;  // at even steps of log10(a/z0)
};

}  // namespace halcyon::wave
