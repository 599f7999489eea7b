#pragma once

namespace halcyon::wave {

/// Returns the drag coefficient of Wu (1982), Cd = (0.8 + 0.065 U) 10^-3, at most `cap`: drag saturates in
/// tropical cyclones (Powell et al. 2003, Donelan et al. 2004; Zijlema et al. 2012).
/// @param speed of the 10-m wind [m s-1]
float drag_coefficient(float speed, float cap);

/// Exponential growth of Snyder et al. (1981), scaled by the friction velocity as in Komen et al. (1984) and
/// WAMDI (1988): S = max(0, 0.25 rho_a/rho_w (28 u*/c cos(theta - theta_w) - 1)) sigma F.
struct WindInput {
  float slope, offset;  ///< S/F = max(0, slope cos(theta - theta_w) - offset) [s-1]
};

/// @param friction_velocity [m s-1]   @param wavenumber [m-1]   @param sigma [rad s-1]
WindInput wind_input(float friction_velocity, float wavenumber, float sigma);

/// Linear growth of Cavaleri and Malanotte-Rizzoli (1981) with the low-frequency filter of Tolman (1992):
/// S = 1.5e-3 g^-2 [u* max(0, cos(theta - theta_w))]^4 exp(-(f/f_PM)^-4), f_PM = 0.13 g / (28 u*), for the
/// variance density over frequency in Hz.
/// @return S / cos^4 [m2 rad-1]
float linear_growth(float friction_velocity, float frequency);

/// Whitecapping of Komen et al. (1984) in the wavenumber form of WAMDI (1988):
/// S = -Cds sigma_bar (k/k_bar) (alpha/alpha_PM)^2 F with alpha = k_bar^2 m0, alpha_PM = 3.02e-3; sigma_bar
/// and k_bar are means of 1/sigma and 1/sqrt(k).
/// @return S/F divided by k [m s-1]
float whitecapping(float strength, float variance, float mean_sigma, float mean_wavenumber);

/// Bottom friction of JONSWAP (Hasselmann et al. 1973; WAMDI 1988): S = -2 Gamma/g k / sinh(2kd) F. With the
/// dispersion relation this is -Gamma (k^2/sigma^2 - sigma^2/g^2) F, which needs no hyperbolic function.
/// @param strength Gamma [m2 s-3]   @return S/F [s-1]
float bottom_friction(float strength, float wavenumber, float sigma);

/// Depth-induced breaking of Battjes and Janssen (1978): the waves that break dissipate as bores,
///   S = -2 alpha f_mean (Q_b / B) F,   B = 8 m0 / (gamma d)^2 = (H_rms / H_m)^2,   (1 - Q_b)/ln Q_b = -B,
/// and S = -2 alpha f_mean F where B >= 1, where all waves break.
struct DepthBreaking {
  float rate = 0;       ///< S/F [s-1]
  float stiffness = 0;  ///< dS/dF - S/F [s-1]; 0 where all waves break
};

/// @param strength alpha   @param breaker_index gamma   @param variance m0 [m2]
/// @param mean_frequency f_mean [Hz]   @param depth d [m]
DepthBreaking depth_breaking(float strength, float breaker_index, float variance, float mean_frequency,
                             float depth);

/// Returns the fraction Q_b of breaking waves at B = (H_rms / H_m)^2, from 0 to 1.
double breaking_fraction(double b);

enum class Limiter { hersbach_janssen, wamdi, ecmwf, none };

struct LimiterState {
  float friction_velocity;  ///< [m s-1]
  float cut_off;            ///< f_c, the end of the prognostic range [Hz]
  float mean_frequency;     ///< the higher of the means of all waves and of the wind sea [Hz]
};

/// Returns the largest change of the variance density F(f, theta) [m2 Hz-1 rad-1] in a step.
///
/// hersbach_janssen: 3e-7 g max(u*, 5.6e-3 g/f) f^-4 f_c dt (Hersbach and Janssen 1999, eq. 11), f_c the end
/// of the prognostic range. It is proportional to dt, so that growth does not depend on the time step.
/// wamdi: 6.4e-7 g^2 f^-5 for a step of 20 minutes (a tenth of the equilibrium level, WAMDI 1988), scaled
/// with dt. ecmwf: 5e-7 g u* f^-4 f_mean dt (IFS documentation CY45R1, part VII, section 3.5).
/// @param dt [s]
float largest_change(Limiter limiter, float frequency, const LimiterState& state, float dt);

}  // namespace halcyon::wave
