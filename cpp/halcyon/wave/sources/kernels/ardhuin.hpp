#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/spectra.hpp"

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

/// Constants of breaking by saturation (Ardhuin et al. 2010, as in the IFS).
struct SaturationOptions {
  float threshold = 9e-4f;    ///< B_r
  float strength = -2.2e-5f;  ///< C
  float isotropic = 0.3f;     ///< delta: share of the saturation's maximum over directions
  float window = 80;          ///< half width of the sector [degree]
  float cumulative = 0;       ///< C_cu of the cumulative term; 0 for none
};

/// Whitecapping by saturation (Ardhuin et al. 2010, eq. 11 to 13, as in IFS documentation CY45R1, part VII):
///   B'(k, theta) = int over |theta' - theta| <= window of (k^3 cg / 2 pi) cos^2(theta' - theta) F dtheta',
///   S/F = C sigma { delta [max(B/B_r - 1, 0)]^2 + (1 - delta) [max(B'/B_r - 1, 0)]^2 },  B = max B';
/// and, if asked for, what larger breakers sweep away (eq. 15 with its k' below r^2 k, r = 0.5):
///   S/F = C_cu 28.16 / (2 pi^2) int |c - c'| [max(sqrt B' - sqrt B_r, 0)]^2 dsigma' dtheta' / cg'.
class Saturation {
 public:
  Saturation(const SpectralGrid& grid, const SaturationOptions& options);

  /// Directions that the sector reaches to each side.
  static int reach(const SpectralGrid& grid, double window);

  /// The rates S/F [s-1], not above zero.
  /// @param energy F, wrapped as far as `reach`   @param wavenumber, depth of the cell
  void rates(const DirectionRows& energy, const float* wavenumber, float depth, DirectionRows& rates);

 private:
  float saturate(const float* energy, float factor, float* row) const;
  void add_cumulative(const float* wavenumber, DirectionRows& rates);

  SpectralGrid grid_;
  SaturationOptions options_;
  std::vector<float> sector_;         // weight by distance in directions [rad]
  std::vector<float> group_, phase_;  // speeds of the cell [m s-1] (frequency)
  DirectionRows breakers_;            // (max(sqrt B' - sqrt B_r, 0))^2, wrapped by a circle
};

}  // namespace halcyon::wave
