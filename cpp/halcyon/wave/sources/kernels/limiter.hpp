#pragma once

namespace halcyon::wave {

enum class Limiter { hersbach_janssen, wamdi, ecmwf, none };

/// What a limiter knows of the sea.
struct LimiterState {
  float friction_velocity;  ///< [m s-1]
  float cut_off;            ///< f_c, the end of the prognostic range [Hz]
  float mean_frequency;     ///< of all waves or of the wind sea, the higher [Hz]
};

/// The largest change of the variance density F(f, theta) [m2 Hz-1 rad-1] in a step.
///
/// hersbach_janssen: 3e-7 g max(u*, 5.6e-3 g/f) f^-4 f_c dt (Hersbach and Janssen 1999, eq. 11), f_c the end
/// of the prognostic range. It is proportional to dt, so that growth does not depend on the time step.
/// wamdi: 6.4e-7 g^2 f^-5 for a step of 20 minutes (a tenth of the equilibrium level, WAMDI 1988), here in
/// proportion to dt.
/// ecmwf: 5e-7 g u* f^-4 f_mean dt (IFS documentation CY45R1, part VII, section 3.5).
/// @param dt [s]
float largest_change(Limiter limiter, float frequency, const LimiterState& state, float dt);

}  // namespace halcyon::wave
