#pragma once

namespace halcyon::wave {

enum class Limiter { hersbach_janssen, wamdi, none };

/// The largest change of the variance density F(f, theta) [m2 Hz-1 rad-1] in a step.
///
/// hersbach_janssen: 3e-7 g max(u*, 5.6e-3 g/f) f^-4 f_c dt (Hersbach and Janssen 1999, eq. 11), f_c the end
/// of the prognostic range. It is proportional to dt, so that growth does not depend on the time step.
/// wamdi: 6.4e-7 g^2 f^-5 for a step of 20 minutes (a tenth of the equilibrium level, WAMDI 1988), here in
/// proportion to dt.
/// @param cut_off f_c [Hz]   @param dt [s]
float largest_change(Limiter limiter, float frequency, float friction_velocity, float cut_off, float dt);

}  // namespace halcyon::wave
