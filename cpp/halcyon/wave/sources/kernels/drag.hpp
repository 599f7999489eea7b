#pragma once

namespace halcyon::wave {

/// The stress of the air on the sea: u* [m s-1] and the roughness of the wind's profile z0 [m].
struct Drag {
  float friction_velocity, roughness;
};

/// What the profile of the wind over waves depends on.
struct DragOptions {
  float charnock;  ///< alpha, Charnock's parameter without waves
  float cap;       ///< largest drag coefficient
};

/// The drag that a first guess takes, C_d = 8e-4 + 8e-5 U (IFS documentation CY45R1), with its roughness.
/// @param speed of the 10-m wind [m s-1]
Drag guessed_drag(float speed, const DragOptions& options);

/// u* and z0 of the steady wind profile over waves that take the stress tau_w (Janssen 1991),
///   u* = kappa U / ln(10 m / (z0 + 0.11 nu/u*)),   z0 = (alpha/g) u*^2 / sqrt(1 - tau_w/u*^2),
/// by at most 15 steps of Newton's method from the guessed drag; never more than the cap.
/// @param wave_stress tau_w / rho_a [m2 s-2]
Drag drag_over_waves(float speed, float wave_stress, const DragOptions& options);

}  // namespace halcyon::wave
