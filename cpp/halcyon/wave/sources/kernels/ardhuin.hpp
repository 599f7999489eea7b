#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/cell_spectrum.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Constants of swell damping by air friction (Ardhuin et al. 2010, with the values of the IFS).
struct SwellDampingOptions {
  float strength = 0.66f;            ///< s1 of the turbulent boundary layer; 0 disables all damping
  float cosine_factor = -0.018f;     ///< s2, factor of u* times the cosine of the angle to the wind
  float wind_factor = 0.022f;        ///< s3, factor of u*
  float critical_reynolds = 1.5e5f;  ///< s4, Reynolds number of the transition from viscous to turbulent
  float viscous = 1.2f;              ///< s5 of the viscous boundary layer
  float height_exponent = 1;         ///< s6: the transition is at s4 (4 m / Hs)^(1 - s6)
  float transition_width = 3.6e5f;   ///< s7, range of Reynolds numbers of the transition
  float roughness_ratio = 0.04f;     ///< roughness for the orbital motion over z0 of the wind
  float largest_roughness = 5e-4f;   ///< upper bound of z0 of the wind in roughness_ratio [m]
};

/// Significant orbital motion of the waves at the surface.
struct OrbitalMotion {
  float speed;      ///< u_orb = 2 sqrt(int sigma^2 F) [m s-1]
  float excursion;  ///< a_orb = 2 sqrt(int F) [m]
};

/// Damping coefficients of a cell, in
///   S/F = -(rho_a/rho_w) { viscous 2 k sqrt(2 nu sigma)
///                          + turbulent 16 sigma^2/g [f_e u_orb + (s3 + s2 cos(theta - theta_w)) u*] }
/// (Ardhuin et al. 2010, eq. 8 to 12; IFS documentation CY45R1, part VII).
struct SwellDamping {
  float viscous = 0, turbulent = 0;  ///< s5 and s1, each times the weight of its boundary layer
  float friction = 0;                ///< f_e u_orb [m s-1]
};

/// Swell damping, with a table of the friction factor f_e of oscillating flow over a rough bed (Grant and
/// Madsen 1979): f_e = 0.08 / (ker^2 x + kei^2 x), x = 2 sqrt(z), z = 1 / (21.2 kappa (a/z0) sqrt(f_e)), with
/// a the orbital excursion and z0 the roughness.
class SwellDampingModel {
 public:
  explicit SwellDampingModel(const SwellDampingOptions& options);
  /// @param friction_velocity u* [m s-1]   @param roughness z0 of the wind [m]
  SwellDamping coefficients(const OrbitalMotion& motion, float friction_velocity, float roughness) const;
  /// Returns f_e at a ratio a/z0.
  float friction_factor(float ratio) const;

 private:
  SwellDampingOptions options_;
  std::vector<float> friction_factors_;  // f_e at even steps of log10(a/z0)
};

/// Constants of saturation-based whitecapping (Ardhuin et al. 2010, with the values of the IFS).
struct SaturationOptions {
  float threshold = 9e-4f;    ///< B_r, saturation above which waves break
  float strength = -2.2e-5f;  ///< C
  float isotropic = 0.3f;     ///< delta: weight of the isotropic term
  float half_width = 80;      ///< half width of the sector over which saturation is integrated [degree]
  float cumulative = 0;       ///< C_cu of the cumulative term; 0 disables the term
};

/// Saturation-based whitecapping (Ardhuin et al. 2010, eq. 11 to 13; IFS documentation CY45R1, part VII):
///   B'(k, theta) = int (k^3 cg / 2 pi) cos^2(theta' - theta) F dtheta'  over |theta' - theta| <= half_width,
///   S/F = C sigma { delta [max(B/B_r - 1, 0)]^2 + (1 - delta) [max(B'/B_r - 1, 0)]^2 },  B = max B';
/// and, if C_cu is not 0, the cumulative term: dissipation by longer breakers (eq. 15, for k' < k / 4),
///   S/F = C_cu 28.16 / (2 pi^2) int |c - c'| [max(sqrt B' - sqrt B_r, 0)]^2 dsigma' dtheta' / cg'.
class Saturation {
 public:
  Saturation(const SpectralGrid& grid, const SaturationOptions& options);
  /// Returns the half width of the sector in direction bins. @param half_width [degree]
  static int half_width_bins(const SpectralGrid& grid, double half_width);
  /// Computes the rates S/F <= 0 [s-1].
  /// @param energy F [m2 Hz-1 rad-1], rows wrapped by at least half_width_bins
  /// @param wavenumber [m-1] (frequency)   @param depth [m]
  void compute_rates(const DirectionRows& energy, const float* wavenumber, float depth, DirectionRows& rates);

 private:
  float compute_saturation(const float* energy, float factor, float* row) const;
  void add_cumulative(const float* wavenumber, DirectionRows& rates);

  SpectralGrid grid_;
  SaturationOptions options_;
  std::vector<float> sector_weights_;  // cos^2 dtheta [rad] (distance in bins from the middle of the sector)
  std::vector<float> cosine_;          // cosine of the angle between two directions (distance in bins)
  std::vector<float> group_speed_, phase_speed_;  // [m s-1] (frequency) at the depth of the cell
  std::vector<char> has_breakers_;                // whether B exceeds B_r in a direction (frequency)
  DirectionRows breakers_;                        // (max(sqrt B' - sqrt B_r, 0))^2, wrapped by half a circle
};

}  // namespace halcyon::wave
