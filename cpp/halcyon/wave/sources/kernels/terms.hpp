#pragma once

namespace halcyon::wave {

/// Returns the drag coefficient of Wu (1982), Cd = (0.8 + 0.065 U) 10^-3, at most `cap`: drag saturates in
/// tropical cyclones (Powell et al. 2003, Donelan et al. 2004; Zijlema et al. 2012).
/// @param speed [m s-1] of the 10-m wind
float drag_coefficient(float speed, float cap);

/// Wind input: exponential growth of Snyder et al. (1981), scaled by the friction velocity as in Komen et al.
/// (1984) and WAMDI (1988): S = max(0, 0.25 rho_a/rho_w (28 u*/c cos(theta - theta_w) - 1)) sigma F.
struct WindInput {
  float slope, offset;  ///< S/F = max(0, slope cos(theta - theta_w) - offset) [s-1]
};

/// Returns the coefficients for one frequency.
/// @param friction_velocity [m s-1]   @param wavenumber [m-1]   @param sigma [rad s-1]
WindInput wind_input(float friction_velocity, float wavenumber, float sigma);

/// Linear growth of Cavaleri and Malanotte-Rizzoli (1981) with the low-frequency filter of Tolman (1992):
/// S = 1.5e-3 g^-2 [u* max(0, cos(theta - theta_w))]^4 exp(-(f/f_PM)^-4), f_PM = 0.13 g / (28 u*), for the
/// variance density over frequency in Hz and direction.
/// @param friction_velocity u* [m s-1]   @param frequency [Hz]
/// @return S / cos^4(theta - theta_w) [m2 rad-1]
float linear_growth(float friction_velocity, float frequency);

/// Whitecapping of Komen et al. (1984) in the wavenumber form of WAMDI (1988):
/// S = -Cds sigma_bar (k/k_bar) (alpha/alpha_PM)^2 F with alpha = k_bar^2 m0, alpha_PM = 3.02e-3; sigma_bar
/// and k_bar are from the means of 1/sigma and 1/sqrt(k).
/// @param strength Cds   @param variance m0 [m2]   @return S/F divided by k [m s-1]
float whitecapping(float strength, float variance, float mean_sigma, float mean_wavenumber);

/// Bottom friction of JONSWAP (Hasselmann et al. 1973; WAMDI 1988): S = -2 Gamma/g k / sinh(2kd) F. With the
/// dispersion relation this equals -Gamma (k^2/sigma^2 - sigma^2/g^2) F, which needs no hyperbolic function.
/// @param strength Gamma [m2 s-3]   @return S/F [s-1]
float bottom_friction(float strength, float wavenumber, float sigma);

/// Depth-induced breaking of Battjes and Janssen (1978), in which breaking waves dissipate as bores,
///   S = -2 alpha f_mean (Q_b / B) F,   B = 8 m0 / (gamma d)^2 = (H_rms / H_m)^2,   (1 - Q_b)/ln Q_b = -B.
/// Where B >= 1, all waves break and S = -2 alpha f_mean F.
struct DepthBreaking {
  float rate = 0;       ///< S/F [s-1]
  float stiffness = 0;  ///< dS/dF - S/F [s-1]; 0 where all waves break
};

/// Returns the rates of a cell.
/// @param strength alpha   @param breaker_index gamma   @param variance m0 [m2]
/// @param mean_frequency f_mean [Hz]   @param depth d [m]
DepthBreaking depth_breaking(float strength, float breaker_index, float variance, float mean_frequency,
                             float depth);

/// Returns the fraction Q_b of breaking waves at B = (H_rms / H_m)^2, from 0 to 1.
double breaking_fraction(double b);

/// Limiter of the change of the spectrum in a step; see largest_change.
enum class Limiter { hersbach_janssen, wamdi, ecmwf, none };

/// The quantities of a cell's sea state that limiters use.
struct LimiterState {
  float friction_velocity;  ///< u* [m s-1]
  float cut_off;            ///< f_c, where the diagnostic tail starts [Hz]
  float mean_frequency;     ///< f_mean of all waves or of the wind sea, whichever is higher [Hz]
};

/// Returns the largest change of the variance density F(f, theta) [m2 Hz-1 rad-1] in a step.
///   hersbach_janssen: 3e-7 g max(u*, 5.6e-3 g/f) f^-4 f_c dt  (Hersbach and Janssen 1999, eq. 11)
///   wamdi: 6.4e-7 g^2 f^-5 dt / 20 minutes     (WAMDI 1988: a tenth of the equilibrium level)
///   ecmwf: 5e-7 g u* f^-4 f_mean dt            (IFS documentation CY45R1, part VII, 3.5)
/// All limits are proportional to dt, so that growth does not depend on the time step.
/// @param dt [s]
float largest_change(Limiter limiter, float frequency, const LimiterState& state, float dt);

}  // namespace halcyon::wave
